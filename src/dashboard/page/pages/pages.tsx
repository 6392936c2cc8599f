import type { FunctionComponent } from "preact";
import type { PageProps } from "../shell/page-props.ts";
import { SessionsPage } from "./sessions.tsx";
import { StatusPage } from "./status.tsx";

/** The pages beside the chat, in the order of the menu. */
export const pages: Readonly<Record<string, { readonly title: string; readonly view: FunctionComponent<PageProps> }>> =
  {
    status: { title: "Status", view: StatusPage },
    sessions: { title: "Sessions", view: SessionsPage },
  };
