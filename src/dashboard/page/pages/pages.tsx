import type { FunctionComponent } from "preact";
import type { PageProps } from "../shell/page-props.tsx";
import { AbilitiesPage } from "./abilities.tsx";
import { ApprovalsPage } from "./approvals.tsx";
import { InsightsPage } from "./insights.tsx";
import { KeysPage } from "./keys.tsx";
import { LogsPage } from "./logs.tsx";
import { MemoryPage } from "./memory.tsx";
import { SchedulesPage } from "./schedules.tsx";
import { SessionsPage } from "./sessions.tsx";
import { SettingsPage } from "./settings/settings.tsx";
import { StatusPage } from "./status.tsx";

/** The pages beside the chat, in the order of the menu. */
export const pages: Readonly<Record<string, { readonly title: string; readonly view: FunctionComponent<PageProps> }>> =
  {
    status: { title: "Status", view: StatusPage },
    sessions: { title: "Sessions", view: SessionsPage },
    insights: { title: "Insights", view: InsightsPage },
    memory: { title: "Memory", view: MemoryPage },
    abilities: { title: "Skills and tools", view: AbilitiesPage },
    approvals: { title: "Approvals", view: ApprovalsPage },
    schedules: { title: "Schedules", view: SchedulesPage },
    settings: { title: "Settings", view: SettingsPage },
    keys: { title: "Keys", view: KeysPage },
    logs: { title: "Logs", view: LogsPage },
  };
