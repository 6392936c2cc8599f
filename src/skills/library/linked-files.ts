import { open, readdir, stat } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { systemErrorCode } from "#foundation/errors";
import { resolveInside } from "#foundation/files/files";

/** The folders of a skill that hold its supporting files. */
export const supportFolders = ["references", "templates", "scripts", "assets"] as const;
type SupportFolder = (typeof supportFolders)[number];

export type LinkedFiles = Readonly<Record<SupportFolder, readonly string[]>>;

const maxListed = 500;
const maxDepth = 6;

/** The supporting files of a skill, as paths relative to it. Links and hidden files are not listed. */
export async function listLinkedFiles(skillFolder: string): Promise<LinkedFiles> {
  const lists = await Promise.all(supportFolders.map((folder) => filesBelow(skillFolder, folder)));
  return Object.fromEntries(
    supportFolders.map((folder, index) => [folder, lists[index] ?? []]),
  ) as unknown as LinkedFiles;
}

async function filesBelow(skillFolder: string, folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  const visit = async (path: string, depth: number): Promise<void> => {
    for (const entry of await entriesOf(path)) {
      if (found.length >= maxListed || entry.name.startsWith(".")) continue;
      const full = join(path, entry.name);
      if (entry.isFile()) found.push(relative(skillFolder, full).split(sep).join("/"));
      else if (entry.isDirectory() && depth < maxDepth) await visit(full, depth + 1);
    }
  };
  await visit(join(skillFolder, folder), 0);
  return found.sort();
}

async function entriesOf(path: string) {
  try {
    return await readdir(path, { withFileTypes: true });
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EACCES"].includes(systemErrorCode(error) ?? "")) return [];
    throw error;
  }
}

/** Why a path of a supporting file is refused, judged by its text; undefined when it may be tried. */
export function filePathFault(path: string): string | undefined {
  if (path.trim() === "") return "file_path is empty";
  if (path.includes("\\") || path.includes("\0")) return "file_path must use / and plain characters";
  if (path.startsWith("/") || path.startsWith("~") || /^[A-Za-z]:/.test(path))
    return "file_path must be relative to the skill";
  if (path.split("/").includes("..")) return "file_path must not contain ..";
  return undefined;
}

export type LinkedFile =
  | { readonly kind: "text"; readonly content: string; readonly fileType: string }
  | { readonly kind: "binary"; readonly bytes: number; readonly fileType: string }
  | { readonly kind: "missing" }
  | { readonly kind: "refused"; readonly reason: string };

/** Larger files are shown from their beginning. */
const maxFileBytes = 1_048_576;

/** One file of a skill. Links are followed only as long as they stay inside it. */
export async function readLinkedFile(skillFolder: string, path: string): Promise<LinkedFile> {
  const fault = filePathFault(path);
  if (fault !== undefined) return { kind: "refused", reason: fault };
  let real: string;
  try {
    real = await resolveInside(skillFolder, path);
  } catch {
    return { kind: "refused", reason: "file_path leads out of the skill" };
  }
  const facts = await statIfPresent(real);
  if (facts === undefined || !facts.isFile()) return { kind: "missing" };
  const fileType = extname(path).toLowerCase();
  const bytes = await firstBytes(real);
  if (isBinary(bytes)) return { kind: "binary", bytes: facts.size, fileType };
  const content = new TextDecoder().decode(bytes);
  const note = facts.size > bytes.length ? `\n[cut after ${bytes.length} of ${facts.size} bytes]` : "";
  return { kind: "text", content: content + note, fileType };
}

async function statIfPresent(path: string) {
  try {
    return await stat(path);
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(systemErrorCode(error) ?? "")) return undefined;
    throw error;
  }
}

async function firstBytes(path: string): Promise<Buffer> {
  const handle = await open(path, "r");
  try {
    const buffer = Buffer.alloc(maxFileBytes);
    const { bytesRead } = await handle.read(buffer, 0, maxFileBytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** A zero byte, or bytes that are no UTF-8: nothing a model could read. */
export function isBinary(bytes: Uint8Array): boolean {
  const head = bytes.subarray(0, 8_192);
  if (head.includes(0)) return true;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: true });
    return false;
  } catch {
    return true;
  }
}
