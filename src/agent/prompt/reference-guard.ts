import { homedir } from "node:os";
import { basename, relative, resolve, sep } from "node:path";
import { describe, systemErrorCode } from "#foundation/errors";
import { expandHome, isWithin } from "./project-root.ts";
import type { WorkspaceFiles } from "./workspace-files.ts";

/** What a reference may reach. */
export interface ReferencePlace {
  /** Nothing outside it is attached. */
  readonly workspace: string;
  readonly hermesHome: string;
  readonly home?: string;
  readonly files: WorkspaceFiles;
}

export type ReferencePath =
  | { readonly kind: "allowed"; readonly path: string; readonly shown: string }
  | { readonly kind: "refused"; readonly reason: string };

const secretFolders = [".ssh", ".aws", ".gnupg", ".kube", ".docker", ".azure", ".config/gh"];
const secretFiles: ReadonlySet<string> = new Set([".netrc", ".pgpass", ".npmrc", ".pypirc"]);
const shellProfiles: ReadonlySet<string> = new Set([
  ".bashrc",
  ".bash_profile",
  ".bash_login",
  ".profile",
  ".zshrc",
  ".zprofile",
  ".zshenv",
  ".zlogin",
]);
const hermesSecrets = [".env", "auth.json", "skills/.hub"];

/** The real path behind a reference, links followed, when it may be read. */
export async function guardReference(path: string, place: ReferencePlace): Promise<ReferencePath> {
  const home = place.home ?? homedir();
  const wanted = resolve(place.workspace, expandHome(path, home));
  let real: string;
  let workspace: string;
  try {
    real = await place.files.realPath(wanted);
    workspace = await place.files.realPath(place.workspace);
  } catch (error) {
    const code = systemErrorCode(error);
    return { kind: "refused", reason: code === "ENOENT" || code === "ENOTDIR" ? "not found" : describe(error) };
  }
  if (!isWithin(workspace, real)) return { kind: "refused", reason: "it is outside the workspace" };
  const reason = await secretReason(real, { ...place, workspace, home });
  if (reason !== undefined) return { kind: "refused", reason };
  return { kind: "allowed", path: real, shown: slashes(relative(workspace, real)) || "." };
}

async function secretReason(
  real: string,
  place: ReferencePlace & { readonly home: string },
): Promise<string | undefined> {
  const name = basename(real).toLowerCase();
  if (secretFiles.has(name) || shellProfiles.has(name)) return "files of this name often hold secrets";
  for (const root of [place.workspace, place.home])
    if (startsIn(await realOr(root, place.files), real, secretFolders)) return "it is in a folder for secrets";
  if (startsIn(await realOr(place.hermesHome, place.files), real, hermesSecrets))
    return "it belongs to Hermes and holds secrets";
  return undefined;
}

function startsIn(root: string, real: string, names: readonly string[]): boolean {
  if (!isWithin(root, real)) return false;
  const way = slashes(relative(root, real)).toLowerCase();
  return names.some((name) => way === name || way.startsWith(`${name}/`));
}

/** A home reached through a link must match the real paths below it. */
async function realOr(path: string, files: WorkspaceFiles): Promise<string> {
  try {
    return await files.realPath(path);
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    return resolve(path);
  }
}

function slashes(path: string): string {
  return sep === "/" ? path : path.replaceAll(sep, "/");
}
