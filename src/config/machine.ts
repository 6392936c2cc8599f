import { homedir } from "node:os";
import { defined } from "#foundation/defined";
import { type Logger, openLogger, teeLogger } from "#foundation/files/logger";
import { HermesHome } from "#foundation/files/paths";
import { Scope } from "#foundation/lifecycle/disposal";
import { Redactor } from "#foundation/secrets/redact";
import { type Clock, systemClock } from "#foundation/time/clock";
import { collectSecrets } from "./complete.ts";
import { CurrentSettings } from "./load/current.ts";
import { type FlagSetting, type LoadedConfig, loadConfig } from "./load/load.ts";
import { prepareHome } from "./profile/prepare-home.ts";

/** What one run of the program knows of the computer and of the person's settings: made once, handed on whole. */
export interface Machine {
  readonly home: HermesHome;
  readonly loaded: LoadedConfig;
  /** The settings as they are saved now; the same object as long as nobody changed them. */
  settingsNow(): Promise<LoadedConfig>;
  /** Another one when a file of settings or keys was written. */
  settingsStamp(): string;
  /** The environment of the process, to read the files of settings again; commands see `loaded.environment`. */
  readonly env: NodeJS.ProcessEnv;
  /** Where the program was started. */
  readonly cwd: string;
  /** The user's home directory. */
  readonly userHome: string;
  readonly version: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Knows every secret of the settings; whoever learns of another one tells it. */
  readonly redactor: Redactor;
  /** Something a person should see once. */
  notice(text: string): void;
}

export interface MachineOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly version: string;
  readonly profile?: string | undefined;
  /** The configuration, where it was read already. */
  readonly loaded?: LoadedConfig | undefined;
  /** Settings given on the command line. */
  readonly flags?: readonly FlagSetting[] | undefined;
  readonly ignoreUserConfig?: boolean | undefined;
  onNotice(text: string): void;
}

/** Reads the settings of a home, made ready for use, and opens its logs; disposing closes them. */
export async function openMachine(options: MachineOptions): Promise<Machine & AsyncDisposable> {
  const { env, cwd, version, flags, ignoreUserConfig } = options;
  const home = HermesHome.resolve(env, options.profile);
  await prepareHome(home, env);
  const load = (trusted?: readonly string[]) =>
    loadConfig({ home, env, cwd, ...defined({ flags, ignoreUserConfig, trusted }) });
  const loaded = options.loaded ?? (await load());
  const redactor = redactorFor(loaded);
  const current = new CurrentSettings(loaded, {
    home,
    load: () => load(loaded.trust.forThisRun),
    onChange: (now) => teach(redactor, now),
  });
  const scope = new Scope();
  return {
    home,
    loaded,
    settingsNow: () => current.now(),
    settingsStamp: () => current.stamp(),
    env,
    cwd,
    userHome: loaded.environment.variables["HOME"] ?? homedir(),
    version,
    clock: systemClock,
    logger: openLogs({ home, redactor, settings: loaded.config.logging }, scope),
    redactor,
    notice: (text) => options.onNotice(text),
    [Symbol.asyncDispose]: () => scope[Symbol.asyncDispose](),
  };
}

/** Knows every credential of this run: from the environment and from the settings. */
export function redactorFor(loaded: LoadedConfig): Redactor {
  const redactor = new Redactor();
  teach(redactor, loaded);
  return redactor;
}

function teach(redactor: Redactor, loaded: LoadedConfig): void {
  for (const { name, secret } of loaded.secrets.all()) redactor.add(secret, name);
  for (const secret of [...collectSecrets(loaded.config), ...collectSecrets(loaded.unknown)]) redactor.add(secret);
}

interface LogOptions {
  readonly home: HermesHome;
  readonly redactor: Redactor;
  readonly settings: LoadedConfig["config"]["logging"];
}

const logLevels = { DEBUG: "debug", INFO: "info", WARNING: "warn", ERROR: "error" } as const;

/** Everything goes to one file, and what needs somebody's attention to a second one. */
function openLogs({ home, redactor, settings }: LogOptions, scope: Scope): Logger {
  const shared = {
    redact: (text: string): string => redactor.redact(text),
    clock: systemClock,
    maxBytes: settings.max_size_mb * 1_048_576,
    keep: settings.backup_count,
  };
  const level = logLevels[settings.level];
  const all = scope.adopt(openLogger({ ...shared, file: home.agentLog, level }));
  const errors = scope.adopt(
    openLogger({ ...shared, file: home.errorsLog, level: level === "error" ? "error" : "warn" }),
  );
  return teeLogger(all, errors);
}
