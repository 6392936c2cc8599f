import path from "node:path";
import type { PathGuard, PathUse, PathVerdict } from "../files/path-guard.ts";
import { protectedHomeFiles, protectedHomeFolders } from "./protected-places.ts";
import type { ApprovalGate } from "./request.ts";

export interface PathRules {
  /** Hermes' own folder; its secrets and state are not for file tools. */
  readonly hermesHome: string;
  /** All writes must stay below it, when set. */
  readonly safeRoot?: string;
  readonly platform: NodeJS.Platform;
}

const systemFolders = ["/etc", "/boot", "/usr/lib/systemd", "/private/etc", "/private/var"];
const macTemp = ["/private/var/folders", "/private/tmp", "/private/var/tmp"];
const sockets = ["/var/run/docker.sock", "/run/docker.sock", "/run/podman/podman.sock"];
const hermesFiles = [".env", "config.yaml", "auth.json", "state.db", "shell-hooks-allowlist.json"];
const hermesFolders = ["mcp-tokens", "plugins"];
const hermesReadDenied = ["skills/.hub"];

/** Credential files that may be read only after asking. */
const credentialFiles = [
  /^\.ssh\/id_[^/]+$/,
  /^\.aws\/credentials$/,
  /^\.netrc$/,
  /^\.pgpass$/,
  /^\.config\/gh\/hosts\.yml$/,
  /^\.kube\/config$/,
];

/** What a path may be used for, with links already resolved. Pure. */
export function judgePath(
  real: string,
  use: PathUse,
  place: PathRules & { readonly home: string },
): "allowed" | "ask" | "refused" {
  const own = inside(real, place.hermesHome);
  if (use === "read") {
    if (own !== undefined && hermesReadDenied.some((folder) => own === folder || own.startsWith(`${folder}/`)))
      return "refused";
    return isCredential(real, place) ? "ask" : "allowed";
  }
  if (place.safeRoot !== undefined && inside(real, place.safeRoot) === undefined) return "refused";
  if (place.platform === "darwin" && macTemp.some((folder) => inside(real, folder) !== undefined)) return "allowed";
  if (systemFolders.some((folder) => inside(real, folder) !== undefined) || sockets.includes(real)) return "refused";
  const home = inside(real, place.home);
  if (home !== undefined && (protectedHomeFiles.includes(home) || startsIn(home, protectedHomeFolders)))
    return "refused";
  if (
    own !== undefined &&
    (hermesFiles.some((name) => own === name || own.startsWith(`${name}-`)) || startsIn(own, hermesFolders))
  )
    return "refused";
  return "allowed";
}

function isCredential(real: string, place: PathRules & { readonly home: string }): boolean {
  const home = inside(real, place.home);
  const own = inside(real, place.hermesHome);
  if (own !== undefined && (own === ".env" || own === "auth.json")) return true;
  return home !== undefined && !home.endsWith(".pub") && credentialFiles.some((pattern) => pattern.test(home));
}

/** The guard of the file tools: resolves links where the file lives, then judges what is really meant. */
export function createPathGuard(rules: PathRules, gate: ApprovalGate): PathGuard {
  return async (given, use, context): Promise<PathVerdict> => {
    const real = await context.terminal.files.realPath(given, context.signal);
    const verdict = judgePath(real, use, { ...rules, home: context.terminal.home });
    if (verdict === "allowed") return { kind: "allowed", realPath: real };
    const through = real === given ? given : `${given} (really ${real})`;
    if (verdict === "refused") {
      const what =
        use === "write" ? "is protected and is not written by tools" : "is internal and is not read by tools";
      return { kind: "refused", reason: `${through} ${what}. Work in the project's own files.` };
    }
    const finding = {
      key: "read credential file",
      description: `read the credential file ${real}`,
      severity: "ask",
      source: "path",
    } as const;
    const answer = await gate.checkFindings(`read ${through}`, [finding], {
      tool: "read_file",
      scope: context.scope,
      taskId: context.taskId,
      callId: context.callId,
      cwd: context.terminal.cwd,
      terminalKind: context.terminal.kind,
      signal: context.signal,
    });
    return answer.kind === "run" ? { kind: "allowed", realPath: real } : { kind: "refused", reason: answer.reason };
  };
}

/** The path below a folder, or undefined; the folder itself is the empty path. */
function inside(target: string, folder: string): string | undefined {
  if (target === folder) return "";
  return target.startsWith(folder.endsWith("/") ? folder : `${folder}/`)
    ? path.posix.relative(folder, target)
    : undefined;
}

function startsIn(relative: string, folders: readonly string[]): boolean {
  return folders.some((folder) => relative === folder || relative.startsWith(`${folder}/`));
}
