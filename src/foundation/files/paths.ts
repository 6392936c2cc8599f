import { existsSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { UserError } from "../errors.ts";

/** The profile that lives in the root itself. */
export const defaultProfile = "default";

const profilesFolder = "profiles";
const profileNamePattern = /^[a-z0-9][a-z0-9_-]{0,63}$/;
const reservedProfileNames: ReadonlySet<string> = new Set(["hermes", defaultProfile, "test", "tmp", "root", "sudo"]);

/** Whether a profile may carry this name. Names of subcommands are refused by whoever knows them. */
export function isProfileName(name: string): boolean {
  return profileNamePattern.test(name) && !reservedProfileNames.has(name);
}

/**
 * Every path under one home. A home is the root (`~/.hermes`, profile `default`) or one of its
 * `profiles/<name>`; nothing is shared between two homes except what hangs off {@link installRoot}.
 * Only names paths: whoever writes there creates them.
 */
export class HermesHome {
  readonly root: string;

  constructor(root: string) {
    this.root = resolve(root);
  }

  /**
   * The home to use, read afresh on every call: the named profile, else `HERMES_HOME`, else the
   * sticky choice in `active_profile`, else the root. A named profile that does not exist is a
   * {@link UserError}; a sticky choice that makes no sense is ignored.
   */
  static resolve(env: NodeJS.ProcessEnv, profile?: string): HermesHome {
    const top = HermesHome.installRootOf(env);
    if (profile !== undefined) return existingProfile(top, profile);
    const chosen = homeVariable(env);
    if (chosen !== undefined) return new HermesHome(chosen);
    return stickyProfile(top) ?? top;
  }

  /** The root that holds `profiles/`: `~/.hermes`, or where `HERMES_HOME` points when that is elsewhere. */
  static installRootOf(env: NodeJS.ProcessEnv): HermesHome {
    const usual = join(userHome(env), ".hermes");
    const chosen = homeVariable(env);
    if (chosen === undefined || chosen === usual || chosen.startsWith(`${usual}/`)) return new HermesHome(usual);
    return new HermesHome(new HermesHome(chosen).installRoot);
  }

  /** The root this home belongs to: two levels up for a profile, otherwise the home itself. */
  get installRoot(): string {
    return this.profileName === defaultProfile ? this.root : dirname(dirname(this.root));
  }

  get profileName(): string {
    const name = basename(this.root);
    return basename(dirname(this.root)) === profilesFolder && isProfileName(name) ? name : defaultProfile;
  }

  /** Another profile of the same root, whether it exists or not. */
  profile(name: string): HermesHome {
    if (name === defaultProfile) return new HermesHome(this.installRoot);
    if (!isProfileName(name)) {
      throw new UserError(`${JSON.stringify(name)} is not a valid profile name.`, {
        hint: "Use lower-case letters, digits, - and _, at most 64 characters, and no reserved word.",
        code: "profile_name_invalid",
      });
    }
    return new HermesHome(join(this.installRoot, profilesFolder, name));
  }

  at(...parts: readonly string[]): string {
    return join(this.root, ...parts);
  }

  // Shared by all profiles of one root.
  get profiles(): string {
    return join(this.installRoot, profilesFolder);
  }
  get activeProfile(): string {
    return join(this.installRoot, "active_profile");
  }

  // Settings and secrets.
  get config(): string {
    return this.at("config.yaml");
  }
  get configBackup(): string {
    return this.at("config.yaml.bak");
  }
  get configLock(): string {
    return this.at("config.lock");
  }
  get envFile(): string {
    return this.at(".env");
  }
  get authFile(): string {
    return this.at("auth.json");
  }
  get authLock(): string {
    return this.at("auth.lock");
  }
  get authFolder(): string {
    return this.at("auth");
  }
  get googleOauth(): string {
    return this.at("auth", "google_oauth.json");
  }
  get anthropicOauth(): string {
    return this.at(".anthropic_oauth.json");
  }
  get mcpTokens(): string {
    return this.at("mcp-tokens");
  }
  get managedMarker(): string {
    return this.at(".managed");
  }
  get shellHooksAllowlist(): string {
    return this.at("shell-hooks-allowlist.json");
  }

  // Who the agent is and what it knows.
  get soul(): string {
    return this.at("SOUL.md");
  }
  get memories(): string {
    return this.at("memories");
  }
  get skills(): string {
    return this.at("skills");
  }
  get agents(): string {
    return this.at("agents");
  }
  get skillsSnapshot(): string {
    return this.at(".skills_prompt_snapshot.json");
  }

  // Extensions.
  get plugins(): string {
    return this.at("plugins");
  }
  get pluginData(): string {
    return this.at("plugin-data");
  }
  get pluginsLock(): string {
    return this.at("plugins.lock.json");
  }
  get nodeModules(): string {
    return this.at("node_modules");
  }
  get hooks(): string {
    return this.at("hooks");
  }
  get agentHooks(): string {
    return this.at("agent-hooks");
  }
  get skins(): string {
    return this.at("skins");
  }

  // Conversations.
  get stateDb(): string {
    return this.at("state.db");
  }
  get sessions(): string {
    return this.at("sessions");
  }
  get checkpoints(): string {
    return this.at("checkpoints");
  }
  get stateSnapshots(): string {
    return this.at("state-snapshots");
  }
  get pastes(): string {
    return this.at("pastes");
  }
  get images(): string {
    return this.at("images");
  }
  get inputHistory(): string {
    return this.at(".hermes_history");
  }

  // Schedules and the gateway.
  get cron(): string {
    return this.at("cron");
  }
  get cronJobs(): string {
    return this.at("cron", "jobs.json");
  }
  get cronOutput(): string {
    return this.at("cron", "output");
  }
  get gatewayPid(): string {
    return this.at("gateway.pid");
  }
  /** The key that messages which wait are encrypted with. */
  get gatewayKey(): string {
    return this.at("keys", "gateway.key");
  }
  get gatewayState(): string {
    return this.at("gateway_state.json");
  }
  get processes(): string {
    return this.at("processes.json");
  }
  get pairing(): string {
    return this.#legacy("pairing") ?? this.at("platforms", "pairing");
  }
  get rateLimits(): string {
    return this.at("rate_limits");
  }
  get nousRateLimit(): string {
    return this.at("rate_limits", "nous.json");
  }

  // Logs.
  get logs(): string {
    return this.at("logs");
  }
  /** Requests to models, where `HERMES_DUMP_REQUESTS` is set. */
  get requestLogs(): string {
    return this.at("logs", "requests");
  }
  get agentLog(): string {
    return this.at("logs", "agent.log");
  }
  get errorsLog(): string {
    return this.at("logs", "errors.log");
  }
  get gatewayLog(): string {
    return this.at("logs", "gateway.log");
  }

  // Caches; folders of earlier versions stay in use where they exist.
  get cache(): string {
    return this.at("cache");
  }
  get imageCache(): string {
    return this.#legacy("image_cache") ?? this.at("cache", "images");
  }
  get audioCache(): string {
    return this.#legacy("audio_cache") ?? this.at("cache", "audio");
  }
  get documentCache(): string {
    return this.#legacy("document_cache") ?? this.at("cache", "documents");
  }
  get screenshotCache(): string {
    return this.at("cache", "screenshots");
  }
  get downloadCache(): string {
    return this.at("cache", "downloads");
  }
  get modelsDevCache(): string {
    return this.at("models_dev_cache.json");
  }
  get contextLengthCache(): string {
    return this.at("context_length_cache.yaml");
  }
  get updateCheck(): string {
    return this.at(".update_check");
  }

  // Work.
  get sandboxes(): string {
    return this.at("sandboxes");
  }
  get subprocessHome(): string {
    return this.at("home");
  }
  get workspace(): string {
    return this.at("workspace");
  }
  get plans(): string {
    return this.at("plans");
  }
  get scripts(): string {
    return this.at("scripts");
  }
  get bin(): string {
    return this.at("bin");
  }

  #legacy(name: string): string | undefined {
    const path = this.at(name);
    return existsSync(path) ? path : undefined;
  }
}

function userHome(env: NodeJS.ProcessEnv): string {
  return resolve(env.HOME?.trim() || homedir());
}

/** `HERMES_HOME` as an absolute path; empty counts as not set. */
function homeVariable(env: NodeJS.ProcessEnv): string | undefined {
  const value = env.HERMES_HOME?.trim();
  if (value === undefined || value === "") return undefined;
  if (value === "~" || value.startsWith("~/")) return join(userHome(env), value.slice(1));
  return resolve(value);
}

function existingProfile(top: HermesHome, name: string): HermesHome {
  const home = top.profile(name);
  if (name === defaultProfile || isFolder(home.root)) return home;
  throw new UserError(`There is no profile ${JSON.stringify(name)}.`, {
    hint: `Create it with: hermes profile create ${name}`,
    code: "profile_unknown",
  });
}

function stickyProfile(top: HermesHome): HermesHome | undefined {
  let name: string;
  try {
    if (statSync(top.activeProfile).size > 256) return undefined;
    name = readFileSync(top.activeProfile, "utf8").trim();
  } catch {
    // Missing or unreadable: there is no sticky choice.
    return undefined;
  }
  if (!isProfileName(name)) return undefined;
  const home = top.profile(name);
  return isFolder(home.root) ? home : undefined;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
