import { editConfig, type LoadedConfig, parseKeyPath } from "#config";
import type { HermesHome } from "#foundation/paths";
import { choiceToSave, type Target } from "#model";
import { defaultSessionSettings, type SessionSettings } from "#session";
import type { StorePlace } from "#store";
import { defaultPreset } from "#tools";

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

/** Turns toolsets of a surface on or off; a sentence for the person. */
export async function saveTools(
  wish: { readonly surface: string; readonly names: readonly string[]; readonly isEnabled: boolean },
  { loaded, home, env }: PreferencePlace,
): Promise<string> {
  const { surface, names, isEnabled } = wish;
  const before = loaded.config.platform_toolsets[surface] ?? [defaultPreset(surface)];
  const others = before.filter((name) => !names.includes(name));
  const value = isEnabled ? [...others, ...names] : others;
  await editConfig([{ kind: "set", path: ["platform_toolsets", surface], value }], { home, env });
  return `${isEnabled ? "Enabled" : "Disabled"} ${names.join(", ")} for ${surface}. A new session has the change.`;
}

/** The settings of sessions, read once when the program opens. */
export function sessionSettings({ config }: LoadedConfig): SessionSettings {
  const { display, approvals, clarify } = config;
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
    personalities: [...Object.keys(config.agent.personalities), ...Object.keys(config.personalities)],
  };
}
