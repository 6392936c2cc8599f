import { cp, lstat, mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { systemErrorCode } from "#foundation/errors";
import { ensureDir } from "#foundation/files/files";

export const blankFolders = ["memories", "sessions", "skills", "skins", "logs", "plans", "workspace", "cron", "home"];

export const clonedFiles = [
  "config.yaml",
  ".env",
  "SOUL.md",
  join("memories", "MEMORY.md"),
  join("memories", "USER.md"),
];

/** What belongs to running processes, or to the root alone; a copy of it would be wrong. */
export const neverCopied: ReadonlySet<string> = new Set([
  "profiles",
  "active_profile",
  "gateway.pid",
  "gateway.lock",
  "gateway_state.json",
  "processes.json",
  "auth.lock",
  "config.lock",
  ".env.lock",
  "rate_limits",
  "dashboard.key",
]);

/** Left out of an export: credentials, databases, caches, and what can be made again. */
export const neverExported: ReadonlySet<string> = new Set([
  ...neverCopied,
  ".env",
  "trust.json",
  "auth.json",
  "auth",
  ".anthropic_oauth.json",
  "mcp-tokens",
  "cache",
  "image_cache",
  "audio_cache",
  "document_cache",
  "models_dev_cache.json",
  "context_length_cache.yaml",
  "ollama_cloud_models_cache.json",
  "checkpoints",
  "sandboxes",
  "node_modules",
  "logs",
  "bin",
  ".update_check",
  ".hermes_history",
  "whatsapp",
  "home",
]);

/** Databases are left out by their ending; a copy of one in use would be torn. */
const isDatabase = (name: string): boolean => /\.(?:db|sqlite3?)(?:-(?:wal|shm|journal))?$/.test(name);

/** Copies a home entry by entry: the copy may lie below the original, where a copy in one go would never end. */
export async function copyTree(from: string, to: string, without: ReadonlySet<string>): Promise<void> {
  const isExport = without === neverExported;
  await mkdir(to, { recursive: true, mode: 0o700 });
  for (const name of await readdir(from)) {
    const isLeftOut =
      without.has(name) || (isExport && isDatabase(name)) || /^config\.yaml\.(?:v\d+\.)?bak$/.test(name);
    if (isLeftOut) continue;
    await cp(join(from, name), join(to, name), {
      recursive: true,
      errorOnExist: true,
      force: false,
      preserveTimestamps: true,
      verbatimSymlinks: true,
      filter: isCopyable,
    });
  }
}

/** Sockets and pipes belong to processes, and cannot be copied. */
async function isCopyable(path: string): Promise<boolean> {
  const info = await lstat(path).catch(ignoreMissing);
  return info === undefined || info.isFile() || info.isDirectory() || info.isSymbolicLink();
}

export async function copyFiles(from: string, to: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    if (!(await exists(join(from, name)))) continue;
    await ensureDir(join(to, name, ".."), 0o700);
    await cp(join(from, name), join(to, name));
  }
}

export async function foldersIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(ignoreMissing);
  return (entries ?? []).filter((entry) => entry.isDirectory()).map((entry) => entry.name);
}

export const isFolder = async (path: string): Promise<boolean> =>
  (await stat(path).catch(ignoreMissing))?.isDirectory() ?? false;

export const exists = async (path: string): Promise<boolean> => (await stat(path).catch(ignoreMissing)) !== undefined;

function ignoreMissing(error: unknown): undefined {
  const code = systemErrorCode(error);
  if (code !== "ENOENT" && code !== "ENOTDIR") throw error;
}
