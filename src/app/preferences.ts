import { editConfig, type LoadedConfig, parseKeyPath } from "#config";
import type { HermesHome } from "#foundation/files/paths";
import { choiceToSave, type Target } from "#model";
import { defaultSessionSettings, type SessionSettings } from "#session";
import type { StorePlace } from "#store";

export interface PreferencePlace {
  readonly loaded: LoadedConfig;
  readonly home: HermesHome;
  readonly env: NodeJS.ProcessEnv;
}

/** PostgreSQL where an address is set, else the home's own file. */
export function storePlace({ config }: LoadedConfig, home: HermesHome): StorePlace {
  const url = config.store.url.reveal();
  return url === "" ? { path: home.stateDb } : { url };
}

/** The model of this session becomes the one every session starts with. */
export async function saveModel(target: Target, { home, env }: PreferencePlace): Promise<void> {
  const choice = choiceToSave({ provider: target.provider, model: target.model, baseUrl: target.baseUrl });
  const changes = Object.entries(choice).map(([key, value]) =>
    value === undefined
      ? ({ kind: "unset", path: parseKeyPath(key) } as const)
      : ({ kind: "set", path: parseKeyPath(key), value } as const),
  );
  await editConfig(changes, { home, env });
}

/** The settings of sessions, read once when the program opens. */
export function sessionSettings({ config }: LoadedConfig): SessionSettings {
  const { display, approvals, clarify, sessions } = config;
  return {
    ...defaultSessionSettings,
    busyMode: display.busy_input_mode,
    approvalTimeoutMs: approvals.timeout * 1000,
    questionTimeoutMs: clarify.timeout * 1000,
    quickCommands: config.quick_commands,
    showsCost: display.show_cost,
    toolProgress: display.tool_progress,
    allowsVerboseInChats: display.tool_progress_command,
    allowsYoloInChats: approvals.allow_yolo,
    seenHints: Object.keys(config.onboarding.seen),
    ...(sessions.auto_prune
      ? {
          autoPrune: {
            retentionDays: sessions.retention_days,
            minIntervalHours: sessions.min_interval_hours,
            compactAfter: sessions.vacuum_after_prune,
          },
        }
      : {}),
    personalities: [...Object.keys(config.agent.personalities), ...Object.keys(config.personalities)],
  };
}
