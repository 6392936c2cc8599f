import { existsSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { UserError } from "#foundation/errors";

export interface DatasetLocation {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly split: string;
}

const kinds = [".jsonl", ".json", ".csv", ".parquet"];

/**
 * The files of a dataset, in order: a file, a pattern such as `shards/*.jsonl`, a folder of shards, or a dataset of the local Hugging Face cache. Nothing is
 * downloaded.
 */
export async function locateDataset(name: string, location: DatasetLocation): Promise<readonly string[]> {
  const folder = path.resolve(location.cwd, name);
  if (isPattern(name) && !existsSync(folder)) return await matching(name, location.cwd);
  const found = existsSync(folder) ? folder : cachedDataset(name.replace(/^hf:/, ""), location);
  if (found === undefined)
    throw new UserError(`There is no dataset ${JSON.stringify(name)}.`, {
      hint: `Give a file (${kinds.join(", ")}), a folder of such files, or the name of a dataset in the Hugging Face cache or in HERMES_DATASETS. Nothing is downloaded.`,
      exitCode: 2,
    });
  if (statSync(found).isFile()) return [found];
  const files = await filesBelow(await newestSnapshot(found));
  const ofSplit = files.filter((file) => belongsTo(file, location.split));
  const chosen = ofSplit.length > 0 ? ofSplit : files.filter((file) => !hasOtherSplit(file));
  if (chosen.length > 0) return chosen;
  throw new UserError(`${found} has no files of the split ${JSON.stringify(location.split)}.`, {
    hint: "Name another one with --dataset-split.",
    exitCode: 2,
  });
}

function isPattern(name: string): boolean {
  return /[*?[{]/.test(name);
}

/** The files that a pattern names, below the last folder before its first special character. */
async function matching(pattern: string, cwd: string): Promise<readonly string[]> {
  const steps = pattern.split("/");
  const fixed = steps.slice(0, steps.findIndex(isPattern)).join("/");
  const root = path.resolve(cwd, fixed === "" && pattern.startsWith("/") ? "/" : fixed);
  const { default: picomatch } = await import("picomatch");
  const matches = picomatch(steps.slice(steps.findIndex(isPattern)).join("/"));
  const files = existsSync(root) ? await filesBelow(root) : [];
  const found = files.filter((file) => matches(path.relative(root, file).split(path.sep).join("/")));
  if (found.length > 0) return found;
  throw new UserError(`No file matches ${JSON.stringify(pattern)} in ${root}.`, {
    hint: `Files of a dataset end in ${kinds.join(", ")}.`,
    exitCode: 2,
  });
}

function cachedDataset(name: string, { env }: DatasetLocation): string | undefined {
  const home = env["HF_HOME"] ?? path.join(env["HOME"] ?? "", ".cache", "huggingface");
  const hub = env["HF_HUB_CACHE"] ?? path.join(home, "hub");
  const own = env["HERMES_DATASETS"];
  return [
    ...(own === undefined ? [] : [path.join(own, name), path.join(own, path.basename(name))]),
    path.join(hub, `datasets--${name.replaceAll("/", "--")}`),
  ].find((folder) => existsSync(folder));
}

/** The layout of the Hugging Face cache: `refs/main` names the folder below `snapshots`. */
async function newestSnapshot(folder: string): Promise<string> {
  const snapshots = path.join(folder, "snapshots");
  if (!existsSync(snapshots)) return folder;
  const dated = (await readdir(snapshots)).map((name) => path.join(snapshots, name));
  return dated.sort((left, right) => statSync(right).mtimeMs - statSync(left).mtimeMs)[0] ?? folder;
}

async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true });
  return entries
    .filter(
      (name) => kinds.includes(path.extname(name)) && !/(^|[/\\])\.|dataset_infos?\.json$|state\.json$/.test(name),
    )
    .sort()
    .map((name) => path.join(folder, name));
}

const usualSplits = ["train", "test", "validation", "dev", "eval"];

/** `train.jsonl`, `train-00000-of-00002.parquet`, `data/train/…`. */
function belongsTo(file: string, split: string): boolean {
  return splitWords(file).includes(split);
}

function hasOtherSplit(file: string): boolean {
  return splitWords(file).some((word) => usualSplits.includes(word));
}

function splitWords(file: string): readonly string[] {
  const name = path.basename(file, path.extname(file));
  return [name, name.split(/[-_.]/)[0] ?? "", path.basename(path.dirname(file))];
}
