// `node --import tsx scripts/house-figures.ts [folder | commit] [--small]`: the figures of the house, of this folder unless told.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { figures, smallFilesWithOneImporter } from "./house/figures.ts";
import { readSourceTree } from "./house/source-tree.ts";

const here = path.join(import.meta.dirname, "..");
const [wanted = here] = process.argv.slice(2).filter((word) => !word.startsWith("--"));

if (existsSync(wanted)) print(wanted);
else printCommit(wanted);

function print(root: string): void {
  const small = process.argv.includes("--small") ? smallFilesWithOneImporter(readSourceTree(root)) : [];
  console.log([...figures(root), ...small.map((file) => `  ${file}`)].join("\n"));
}

function printCommit(commit: string): void {
  const folder = mkdtempSync(path.join(tmpdir(), "hermes-figures-"));
  try {
    const archive = execFileSync("git", ["archive", commit], { cwd: here, maxBuffer: 2 ** 30 });
    execFileSync("tar", ["-x", "-C", folder], { input: archive });
    print(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
