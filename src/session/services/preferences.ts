import {
  changedSettings,
  changeSetting,
  defaultConfig,
  describeSettings,
  editConfig,
  loadConfig,
  type Machine,
  masked,
  parseKeyPath,
  type SettingInfo,
  valueAt,
} from "#config";
import { choiceToSave, type Target } from "#model";

/** A setting that a person may change by a word, with its value now. */
export interface SavedSetting extends Pick<SettingInfo, "key" | "type" | "choices" | "description"> {
  /** As it would be written; empty where nothing is set. */
  readonly value: string;
  readonly defaultValue: string;
  /** A new value counts in open sessions, too. */
  readonly countsAtOnce: boolean;
}

/** The saved settings, as far as commands show and change them. */
export interface Preferences {
  /** Settings that differ from their defaults, secrets masked. */
  describe(): Promise<readonly (readonly [key: string, value: string])[]>;
  /** All that are no secrets, no groups and have an effect, by name. */
  settings(): Promise<readonly SavedSetting[]>;
  save(key: string, value: string | boolean): Promise<void>;
  /** Reads keys and settings again; a sentence for the person. */
  reload(signal: AbortSignal): Promise<string>;
}

type Saving = Pick<Machine, "loaded" | "home" | "env">;

/** The saved settings, as commands of a session show and change them. */
export function savedPreferences({ loaded, home, env }: Saving): Preferences {
  return {
    async describe() {
      const changed = await changedSettings(await defaultConfig(), loaded.config);
      return changed.map(
        ({ key }) => [key, JSON.stringify(masked(valueAt(loaded.config, parseKeyPath(key))))] as const,
      );
    },
    settings: () => savedSettings({ home, env }),
    save: async (key, value) => void (await changeSetting(key, String(value), { home, env })),
    async reload() {
      const now = await loadConfig({ home, env });
      const changed = await changedSettings(loaded.config, now.config);
      const before = loaded.environment.variables;
      const keys = Object.entries(now.environment.variables).filter(([name, value]) => before[name] !== value).length;
      const settings =
        changed.length === 0
          ? "No setting has changed"
          : `${changed.length} ${changed.length === 1 ? "setting has" : "settings have"} changed`;
      const variables =
        keys === 0
          ? "no variable of .env has"
          : `${keys} ${keys === 1 ? "variable of .env has" : "variables of .env have"}`;
      return `${settings}, ${variables}. Display settings apply at once; the rest applies from the next start of Hermes.`;
    },
  };
}

async function savedSettings({ home, env }: Omit<Saving, "loaded">): Promise<readonly SavedSetting[]> {
  const [all, { config }] = await Promise.all([describeSettings(), loadConfig({ home, env, rememberGood: false })]);
  return all
    .filter(({ key, isSecret, noEffect }) => !isSecret && noEffect === undefined && !/[<[]/.test(key))
    .map(({ key, type, choices, description, reload, defaultValue }) => ({
      key,
      type,
      choices,
      description,
      value: wordOf(masked(valueAt(config, parseKeyPath(key)))),
      defaultValue: wordOf(defaultValue),
      countsAtOnce: reload === "now",
    }))
    .sort((one, other) => (one.key < other.key ? -1 : 1));
}

const wordOf = (value: unknown): string =>
  value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);

/** The model of a session becomes the one every session starts with. */
export async function saveModel(target: Target, { home, env }: Saving): Promise<void> {
  const choice = choiceToSave({ provider: target.provider, model: target.model, baseUrl: target.baseUrl });
  const changes = Object.entries(choice).map(([key, value]) =>
    value === undefined
      ? ({ kind: "unset", path: parseKeyPath(key) } as const)
      : ({ kind: "set", path: parseKeyPath(key), value } as const),
  );
  await editConfig(changes, { home, env });
}
