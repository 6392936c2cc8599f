import { homedir } from "node:os";
import { relative, resolve, sep } from "node:path";
import { describe, systemErrorCode } from "#foundation/errors";
import { expandHome, isWithin } from "../project-root.ts";
import type { WorkspaceFiles } from "../workspace-files.ts";

/** What a reference may reach. */
export interface ReferenceLocation {
  /** Nothing outside it is attached. */
  readonly workspace: string;
  readonly home?: string;
  readonly files: WorkspaceFiles;
  /** Why the wall of the session keeps a file back; undefined when it may be read. Links are resolved. */
  refusal(real: string): Promise<string | undefined>;
}

export type ReferencePath =
  | { readonly kind: "allowed"; readonly path: string; readonly shown: string }
  | { readonly kind: "refused"; readonly reason: string };

/** The real path behind a reference, links followed, when it may be read. */
export async function guardReference(path: string, location: ReferenceLocation): Promise<ReferencePath> {
  const wanted = resolve(location.workspace, expandHome(path, location.home ?? homedir()));
  let real: string;
  let workspace: string;
  try {
    real = await location.files.realPath(wanted);
    workspace = await location.files.realPath(location.workspace);
  } catch (error) {
    const code = systemErrorCode(error);
    return { kind: "refused", reason: code === "ENOENT" || code === "ENOTDIR" ? "not found" : describe(error) };
  }
  if (!isWithin(workspace, real)) return { kind: "refused", reason: "it is outside the workspace" };
  const reason = await location.refusal(real);
  if (reason !== undefined) return { kind: "refused", reason };
  return { kind: "allowed", path: real, shown: slashes(relative(workspace, real)) || "." };
}

function slashes(path: string): string {
  return sep === "/" ? path : path.replaceAll(sep, "/");
}
