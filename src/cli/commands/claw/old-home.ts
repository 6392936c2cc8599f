import { lstat, readdir, stat } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { parseEnv, valueAt } from "#config";
import { defined } from "#foundation/defined";
import { describe } from "#foundation/errors";
import { readTextFile } from "#foundation/files/files";
import { isRecord } from "#foundation/text/json";

/** The folder of OpenClaw, newest name first. */
const folderNames = [".openclaw", ".clawdbot", ".moltbot", ".moldbot"];
const configNames = ["openclaw.json", "clawdbot.json", "moltbot.json", "moldbot.json"];
const maxConfigBytes = 4 * 1024 * 1024;
const maxEntries = 2_000;

/** An OpenClaw home as it was found. Only read: nothing below it is ever written. */
export interface OldHome {
  readonly root: string;
  readonly workspace: string;
  /** Where the settings came from; undefined when there are none. */
  readonly configFile?: string;
  readonly config: Readonly<Record<string, unknown>>;
  /** Variables of its `.env` and of its settings. Values may be credentials. */
  readonly variables: ReadonlyMap<string, string>;
  /** What could not be read, in words. */
  readonly problems: readonly string[];
}

function userHomeOf(env: NodeJS.ProcessEnv): string {
  return (env["HOME"] ?? "").trim() || homedir();
}

/** The OpenClaw homes of this person. */
export async function findOldHomes(env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const folders = folderNames.map((name) => path.join(userHomeOf(env), name));
  const found = await Promise.all(folders.map(isRealFolder));
  return folders.filter((_, index) => found[index] === true);
}

export async function openOldHome(root: string, env: NodeJS.ProcessEnv): Promise<OldHome> {
  const problems: string[] = [];
  const { file, config } = await readConfig(root, problems);
  return {
    root,
    workspace: await workspaceOf(root, config, userHomeOf(env)),
    ...defined({ configFile: file }),
    config,
    variables: await variablesOf(root, config, problems),
    problems,
  };
}

async function readConfig(root: string, problems: string[]) {
  for (const name of configNames) {
    const file = path.join(root, name);
    const text = await readTextFile(file, { maxBytes: maxConfigBytes }).catch((error: unknown) => {
      problems.push(describe(error));
      return undefined;
    });
    if (text === undefined) continue;
    const parsed = await parseJson5(text);
    if (parsed.ok && isRecord(parsed.value)) return { file, config: parsed.value };
    problems.push(`${name} cannot be read: ${parsed.ok ? "it is not an object" : parsed.message}`);
  }
  return { file: undefined, config: {} };
}

/** JSON as people write it: comments, trailing commas, bare names and single quotes. */
export async function parseJson5(
  text: string,
): Promise<{ readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly message: string }> {
  const { default: json5 } = await import("json5");
  try {
    // A key of this name says nothing about a home, and could say something about every object.
    return { ok: true, value: json5.parse(text, (key, value) => (key === "__proto__" ? undefined : value)) };
  } catch (error) {
    return { ok: false, message: describe(error) };
  }
}

/** Where its settings say, where newer versions put it, or where older ones did. */
async function workspaceOf(root: string, config: Readonly<Record<string, unknown>>, userHome: string): Promise<string> {
  const named = [
    ["agents", "defaults", "workspace"],
    ["agent", "workspace"],
    ["agents", "list", "0", "workspace"],
  ].map((keys) => valueAt(config, keys));
  const wanted = named
    .filter((one): one is string => typeof one === "string" && one.trim() !== "")
    .map((one) => path.resolve(root, one.trim().replace(/^~(?=\/|$)/, userHome)));
  const usual = path.join(root, "workspace");
  for (const folder of [...wanted, usual, path.join(userHome, "clawd")]) if (await isFolder(folder)) return folder;
  return usual;
}

async function variablesOf(root: string, config: Readonly<Record<string, unknown>>, problems: string[]) {
  const env = isRecord(config["env"]) ? config["env"] : {};
  const vars = isRecord(env["vars"]) ? env["vars"] : {};
  const text = await readTextFile(path.join(root, ".env"), { maxBytes: 1024 * 1024 }).catch((error: unknown) => {
    problems.push(describe(error));
    return undefined;
  });
  const written = [...Object.entries(env), ...Object.entries(vars)].filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  return new Map([...written, ...parseEnv(text ?? "").map(({ name, value }) => [name, value] as const)]);
}

/** A text file of the old home. Links are not followed: what they lead to was not put there to be moved. */
export async function readOldText(file: string, maxBytes: number): Promise<string | undefined> {
  const found = await lstat(file).catch(() => undefined);
  return found?.isFile() === true && found.size <= maxBytes ? await readTextFile(file, { maxBytes }) : undefined;
}

/** JSON with an object in it; anything else counts as not there. */
export async function readOldJson(file: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  const parsed = await parseJson5((await readOldText(file, maxConfigBytes)) ?? "null");
  return parsed.ok && isRecord(parsed.value) ? parsed.value : undefined;
}

/** Names in a folder, sorted and bounded; none when it is not there. */
export async function namesIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.sort().slice(0, maxEntries);
}

export async function isFolder(folder: string): Promise<boolean> {
  return (await stat(folder).catch(() => undefined))?.isDirectory() === true;
}

async function isRealFolder(folder: string): Promise<boolean> {
  return (await lstat(folder).catch(() => undefined))?.isDirectory() === true;
}
