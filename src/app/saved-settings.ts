import {
  changedSettings,
  changeSetting,
  defaultConfig,
  type LoadedConfig,
  loadConfig,
  masked,
  parseKeyPath,
  valueAt,
} from "#config";
import type { HermesHome } from "#foundation/files/paths";
import type { Preferences } from "#session";

/** The saved settings, as commands of a session show and change them. */
export function savedSettings(loaded: LoadedConfig, home: HermesHome, env: NodeJS.ProcessEnv): Preferences {
  return {
    async describe() {
      const changed = await changedSettings(await defaultConfig(), loaded.config);
      return changed.map(
        ({ key }) => [key, JSON.stringify(masked(valueAt(loaded.config, parseKeyPath(key))))] as const,
      );
    },
    save: async (key, value) => void (await changeSetting(key, String(value), { home, env })),
    async reload() {
      const now = await loadConfig({ home, env });
      const changed = await changedSettings(loaded.config, now.config);
      const before = loaded.environment.variables;
      const keys = Object.entries(now.environment.variables).filter(([name, value]) => before[name] !== value).length;
      const settings = changed.length === 0 ? "No setting has changed" : `${changed.length} settings have changed`;
      const variables = keys === 0 ? "no variable of .env has" : `${keys} variables of .env have`;
      return `${settings}, ${variables}. A new session uses them.`;
    },
  };
}
