import { open, readdir, readlink, stat } from "node:fs/promises";
import { isAbsolute, join, relative, resolve, sep } from "node:path";

/** The files of a skill as the guard sees them, from a folder or from a download. */
export interface SkillTree {
  readonly files: readonly TreeFile[];
  readonly links: readonly TreeLink[];
}

interface TreeFile {
  readonly path: string;
  /** At most {@link maxScannedBytes} of it. */
  readonly bytes: Uint8Array;
  readonly size: number;
  readonly isExecutable: boolean;
}

interface TreeLink {
  readonly path: string;
  readonly target: string;
  readonly leavesSkill: boolean;
}

/** As large as the largest file a download may bring, so that nothing lies behind what is read. */
const maxScannedBytes = 2 * 1_048_576;
const maxFiles = 2_000;

export function treeOfFiles(files: ReadonlyMap<string, Uint8Array>): SkillTree {
  return {
    files: [...files].map(([path, bytes]) => ({
      path,
      bytes: bytes.subarray(0, maxScannedBytes),
      size: bytes.length,
      isExecutable: false,
    })),
    links: [],
  };
}

/** Reads everything below a folder, hidden files too; links are noted, never followed. */
export async function readSkillTree(folder: string): Promise<SkillTree> {
  const files: TreeFile[] = [];
  const links: TreeLink[] = [];
  const visit = async (current: string): Promise<void> => {
    const entries = (await readdir(current, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const entry of entries) {
      if (files.length >= maxFiles) return;
      const full = join(current, entry.name);
      const path = relative(folder, full).split(sep).join("/");
      if (entry.isSymbolicLink()) links.push(await readLink(folder, full, path));
      else if (entry.isDirectory()) await visit(full);
      else if (entry.isFile()) files.push(await readFile(full, path));
    }
  };
  await visit(folder);
  return { files, links };
}

async function readLink(folder: string, full: string, path: string): Promise<TreeLink> {
  const target = await readlink(full);
  const way = relative(folder, resolve(join(full, ".."), target));
  return { path, target, leavesSkill: way.startsWith("..") || isAbsolute(way) };
}

async function readFile(full: string, path: string): Promise<TreeFile> {
  const facts = await stat(full);
  const handle = await open(full, "r");
  try {
    const buffer = Buffer.alloc(Math.min(facts.size, maxScannedBytes));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    return { path, bytes: buffer.subarray(0, bytesRead), size: facts.size, isExecutable: (facts.mode & 0o111) !== 0 };
  } finally {
    await handle.close();
  }
}
