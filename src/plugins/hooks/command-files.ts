import { createHash } from "node:crypto";
import { constants, createReadStream } from "node:fs";
import { access, open, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join, resolve } from "node:path";

/** Where a command is started: what its relative words and its bare program name mean. */
export interface CommandLocation {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Above this a file counts by its size and time; nobody keeps a script of that size. */
const maxHashedBytes = 512 * 1024 * 1024;

/** The file the first word of a command starts, whether it may be executed or not; undefined when there is none. */
export async function programFile(word: string, { cwd, env }: CommandLocation): Promise<string | undefined> {
  if (word.includes("/")) return (await isFile(resolve(cwd, word))) ? resolve(cwd, word) : undefined;
  const folders = (env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  let found: string | undefined;
  for (const folder of folders) {
    const file = resolve(cwd, folder, word);
    if (!(await isFile(file))) continue;
    if (await isExecutable(file)) return file;
    found ??= file;
  }
  return found;
}

export async function isExecutable(file: string): Promise<boolean> {
  return await access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/**
 * A hash over every file the command consists of: what it names by its full path, what it names relative to the
 * folder it is started in, and a script its first word finds on the PATH. An interpreter found there does not
 * count, so that an upgrade of it asks nobody anything.
 */
export async function printOf(argv: readonly string[], location: CommandLocation): Promise<string> {
  const hash = createHash("sha256");
  for (const file of await commandFiles(argv, location)) {
    hash.update(file);
    const found = await stat(file).catch(() => undefined);
    if (found?.isFile() !== true) hash.update("\0missing");
    else if (found.size > maxHashedBytes) hash.update(`\0large ${found.size} ${found.mtimeMs}`);
    else
      await eachChunk(file, (chunk) => hash.update(chunk)).catch(() => {
        hash.update("\0missing");
      });
  }
  return hash.digest("hex");
}

/** The same files by size and time: cheap enough to look at before every run. */
export async function markOf(argv: readonly string[], location: CommandLocation): Promise<string> {
  const marks = (await commandFiles(argv, location)).map(async (file) => {
    const found = await stat(file, { bigint: true }).catch(() => undefined);
    return found === undefined ? `${file} missing` : `${file} ${found.ino} ${found.size} ${found.mtimeNs}`;
  });
  return (await Promise.all(marks)).join("\n");
}

async function commandFiles(argv: readonly string[], location: CommandLocation): Promise<readonly string[]> {
  const files: string[] = [];
  for (const [index, word] of argv.entries()) {
    if (isAbsolute(word)) files.push(word);
    else if (index === 0) files.push(...(await firstFile(word, location)));
    else if (word !== "" && (await isFile(join(location.cwd, word)))) files.push(join(location.cwd, word));
  }
  return files;
}

async function firstFile(word: string, location: CommandLocation): Promise<readonly string[]> {
  if (word.includes("/")) return [resolve(location.cwd, word)];
  const file = await programFile(word, location);
  return file !== undefined && (await isScript(file)) ? [file] : [];
}

async function isFile(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

async function isScript(file: string): Promise<boolean> {
  const beginning = await readBeginning(file).catch(() => "");
  return beginning === "#!";
}

async function readBeginning(file: string): Promise<string> {
  await using handle = await open(file, "r");
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(2), 0, 2, 0);
  return buffer.toString("latin1", 0, bytesRead);
}

async function eachChunk(file: string, take: (chunk: Buffer) => void): Promise<void> {
  for await (const chunk of createReadStream(file)) take(chunk as Buffer);
}
