import fs from "node:fs/promises";
import { boundedPatch } from "../bounded-patch.ts";
import type { StoredEntry } from "./snapshot-store.ts";

const maxFiles = 200;
const maxTextBytes = 512 * 1024;

/** What changed between two pictures of a folder, as a person reads it. */
export async function diffTrees(
  before: ReadonlyMap<string, StoredEntry>,
  after: ReadonlyMap<string, StoredEntry>,
  objectFile: (hash: string) => string,
): Promise<string> {
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  const changed = names.filter((name) => hashOf(before.get(name)) !== hashOf(after.get(name)));
  const texts: string[] = [];
  for (const name of changed.slice(0, maxFiles)) {
    const [old, now] = [before.get(name), after.get(name)];
    const [oldText, newText] = await Promise.all([fileText(old, objectFile), fileText(now, objectFile)]);
    if (oldText === undefined || newText === undefined)
      texts.push(`Binary or large file ${name} ${wordFor(old, now)}\n`);
    else
      texts.push(
        boundedPatch(
          [old === undefined ? "/dev/null" : name, now === undefined ? "/dev/null" : name],
          oldText,
          newText,
        ),
      );
  }
  if (changed.length > maxFiles) texts.push(`… and ${changed.length - maxFiles} more files\n`);
  return texts.join("");
}

function hashOf(entry: StoredEntry | undefined): string {
  if (entry === undefined || entry.k === "d") return "";
  return entry.k === "l" ? `link ${entry.t}` : (entry.h ?? `large ${entry.x}`);
}

async function fileText(
  entry: StoredEntry | undefined,
  objectFile: (hash: string) => string,
): Promise<string | undefined> {
  if (entry === undefined || entry.k === "d") return "";
  if (entry.k === "l") return `${entry.t}\n`;
  if (entry.h === undefined || entry.s > maxTextBytes) return undefined;
  const bytes = await fs.readFile(objectFile(entry.h));
  return bytes.includes(0) ? undefined : bytes.toString("utf8");
}

function wordFor(old: StoredEntry | undefined, now: StoredEntry | undefined): string {
  if (old === undefined) return "was added";
  return now === undefined ? "was deleted" : "changed";
}
