import { realpathSync, statSync } from "node:fs";
import path from "node:path";
import type { Config } from "#config";
import type { HermesHome } from "#foundation/files/paths";

export interface FilePolicy {
  /** Folders that files may be sent from. */
  readonly roots: readonly string[];
  /** The home of Hermes: keys, sessions, memory. Nothing of it is sent but what lies in a root below it. */
  readonly secretFolder: string;
}

/** The folders that the configuration and the home allow. */
export function filePolicyOf({
  config,
  home,
  cwd,
}: {
  readonly config: Config;
  readonly home: HermesHome;
  readonly cwd: string;
}): FilePolicy {
  const { media_roots: further } = config.gateway;
  const roots = [cwd, home.cache, home.imageCache, home.audioCache, home.documentCache, ...further];
  return { roots, secretFolder: home.root };
}

export type JudgedFile =
  | { readonly kind: "ok"; readonly file: string; readonly bytes: number }
  | { readonly kind: "refused"; readonly why: string };

const secretNames =
  /^(?:\.env(?:\..*)?|.*\.(?:pem|key|p12|pfx|kdbx)|id_(?:rsa|dsa|ecdsa|ed25519)|\.netrc|\.npmrc|\.pgpass|credentials|auth\.json|state\.db.*)$/iu;

/** Whether a file that an answer names may leave this machine. Links are followed first. */
export function judgeFile(named: string, { roots, secretFolder }: FilePolicy): JudgedFile {
  let file: string;
  let bytes: number;
  try {
    file = realpathSync(named);
    const stat = statSync(file);
    if (!stat.isFile()) return { kind: "refused", why: "it is not a file" };
    bytes = stat.size;
  } catch {
    return { kind: "refused", why: "it cannot be read" };
  }
  const holder = roots.map(realFolder).filter((root) => isInside(root, file));
  const isSecret = isInside(realFolder(secretFolder), file);
  const isMeant = holder.some((root) => !isSecret || isInside(realFolder(secretFolder), root));
  if (secretNames.test(path.basename(file))) return { kind: "refused", why: "files of this kind hold secrets" };
  if (!isMeant) return { kind: "refused", why: "it lies outside the folders that files are sent from" };
  return { kind: "ok", file, bytes };
}

function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return path.resolve(folder);
  }
}

function isInside(folder: string, file: string): boolean {
  const relative = path.relative(folder, file);
  return relative === "" || (!relative.startsWith("..") && !path.isAbsolute(relative));
}
