import path from "node:path";
import type { HostRules } from "../network/host-rules.ts";
import { PathTable } from "./path-table.ts";
import {
  guardedInWorkspace,
  homeSecrets,
  projectSecretExceptions,
  projectSecrets,
  systemSecrets,
} from "./secret-locations.ts";

/**
 * What holds programs inside the wall. `none`: nothing does although something should, so everything a sandbox would contain
 * is asked about. `off`: the person switched it off, and is asked about what is flagged only.
 */
export type Enforcement = "bubblewrap" | "seatbelt" | "container" | "none" | "off";

/**
 * The wall of one session: what everything the model can do may read, write and reach. One value, made once from the
 * configuration, the workspace and the backend; all paths are real (links resolved).
 */
export interface Confinement {
  /** The folder the session works in. */
  readonly workspace: string;
  /** Workspace, temporary folders and what the person added. */
  readonly writable: readonly string[];
  /** The person's home. */
  readonly home: string;
  /** Homes with the same secrets: that of the account, when programs are shown another one. */
  readonly otherHomes: readonly string[];
  /** All homes of Hermes, profiles included: out of reach except through its own tools. */
  readonly hermesHome: string;
  /** Below `hermesHome`, readable all the same: skills, and files Hermes made for the model to read. */
  readonly hermesReadable: readonly string[];
  /** Below `hermesHome`, writable all the same: the home that programs see. */
  readonly hermesWritable: readonly string[];
  /** Further files and folders that hold credentials. */
  readonly masked: readonly string[];
  readonly network: HostRules;
  /** Names of variables that programs may see. */
  readonly environment: readonly string[];
  readonly enforcement: Enforcement;
}

export type PathJudgement =
  | { readonly kind: "allowed" }
  /** A person decides. `key` is what a grant is stored under, `reason` what the person reads. */
  | { readonly kind: "ask"; readonly key: string; readonly reason: string }
  /** Nobody can allow it here: there is a tool for it, or none at all. */
  | { readonly kind: "refused"; readonly reason: string };

const allowed: PathJudgement = { kind: "allowed" };
const homeTable = new PathTable(homeSecrets);
const systemTable = new PathTable(systemSecrets);
const nameTable = new PathTable(projectSecrets);
const nameExceptions = new PathTable(projectSecretExceptions);
/** Besides: the `.git` that is a file says where the repository is, and so what git runs. */
const guardedTable = new PathTable([...guardedInWorkspace, ".git"]);

/** May this file be read? `real` has its links and `..` resolved. */
export function judgeRead(wall: Confinement, real: string): PathJudgement {
  const own = judgeHermesHome(wall, real, "read");
  if (own !== undefined) return own;
  const secret = secretReason(wall, real);
  return secret === undefined ? allowed : { kind: "ask", key: "read a secret", reason: secret };
}

/** May this file be written, made or removed? `real` has its links and `..` resolved. */
export function judgeWrite(wall: Confinement, real: string): PathJudgement {
  const own = judgeHermesHome(wall, real, "write");
  if (own !== undefined) return own;
  const secret = secretReason(wall, real);
  if (secret !== undefined) return { kind: "ask", key: "change a secret", reason: secret };
  if (!wall.writable.some((folder) => isWithin(folder, real)))
    return { kind: "ask", key: "write outside the workspace", reason: `${real} lies outside ${wall.workspace}` };
  const guarded = guardedReason(wall, real);
  return guarded === undefined ? allowed : { kind: "ask", key: "change what runs or instructs", reason: guarded };
}

/** Why a file counts as secret; undefined when it does not. */
export function secretReason(wall: Confinement, real: string): string | undefined {
  if (wall.masked.some((entry) => isWithin(entry, real))) return `${real} is named in security.masked_paths`;
  for (const home of [wall.home, ...wall.otherHomes]) {
    const inHome = PathTable.relativeTo(home, real);
    const entry = inHome === undefined ? undefined : homeTable.find(inHome);
    if (entry !== undefined) return `~/${entry} holds credentials`;
  }
  const system = systemTable.find(real.slice(1));
  if (system !== undefined) return `${system} holds what belongs to the system or to others`;
  const name = path.basename(real);
  return isSecretName(name) ? `files called ${name} usually hold credentials` : undefined;
}

/** Whether a file holds credentials, judged by its name alone. */
export function isSecretName(name: string): boolean {
  return nameTable.find(name) !== undefined && nameExceptions.find(name) === undefined;
}

/** Why writing inside the workspace needs a person's word; undefined where it does not. */
function guardedReason(wall: Confinement, real: string): string | undefined {
  const relative = PathTable.relativeTo(wall.workspace, real);
  if (relative === undefined) return undefined;
  // Submodules and nested projects have the same files as the one at the top.
  const names = relative.split("/");
  for (let from = 0; from < names.length; from++) {
    const entry = guardedTable.find(names.slice(from).join("/"));
    if (entry !== undefined) return `${entry} runs programs or instructs agents and editors`;
  }
  if (!isBroad(wall)) return undefined;
  const inHome = PathTable.relativeTo(wall.home, real);
  if (inHome === undefined) return `${real} lies outside your home, and ${wall.workspace} is no project folder`;
  return /^(?:\.|bin\/|Library\/)/.test(inHome) ? `~/${inHome} may start programs or hold settings` : undefined;
}

/** True when the workspace is the home itself, or contains it: then it is no project, and much in it runs by itself. */
export function isBroad({ workspace, home }: Pick<Confinement, "workspace" | "home">): boolean {
  return isWithin(workspace, home);
}

/** True for the folder itself and everything in it. */
export function isWithin(folder: string, file: string): boolean {
  return file === folder || PathTable.relativeTo(folder, file) !== undefined;
}

function judgeHermesHome(wall: Confinement, real: string, use: "read" | "write"): PathJudgement | undefined {
  if (!isWithin(wall.hermesHome, real)) return undefined;
  if (wall.hermesWritable.some((folder) => isWithin(folder, real))) return allowed;
  if (use === "read" && wall.hermesReadable.some((folder) => isWithin(folder, real))) return allowed;
  return {
    kind: "refused",
    reason: `${real} belongs to Hermes itself. Use its own tools for memory, skills, schedules and settings`,
  };
}
