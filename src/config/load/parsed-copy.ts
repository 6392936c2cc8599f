import { isDeepStrictEqual } from "node:util";
import { systemErrorCode, UserError } from "#foundation/errors";
import { ensureDir, writeFileAtomic } from "#foundation/files/files";
import type { HermesHome } from "#foundation/files/paths";
import { parseJson } from "#foundation/text/json";
import { readBytes } from "../source.ts";
import { isPlainRecord } from "../tree.ts";
import type { GoodDocument } from "./document.ts";
import { documentOf, type Located, type SettingsDocument, valuesOf } from "./located.ts";

/*
 * Loading the YAML library takes longer than all other work before the first prompt, so what it found in a file is kept.
 * 1. The copy holds offsets into the file, never a value: no secret can be in it, and without the file it says nothing.
 * 2. It counts only for the same bytes, read by the same program, and only when every offset leads to a value.
 */

declare const __HERMES_VERSION__: string | undefined;

const program = typeof __HERMES_VERSION__ === "string" ? __HERMES_VERSION__ : "source";

const fileIn = (home: HermesHome): string => home.at("cache", "parsed-config.json");

/**
 * 64 bits and the length of a text, to tell versions of one file apart. Whoever can choose the file can choose the settings, so
 * nothing is gained by making two collide, and SHA-256 would load OpenSSL, which takes longer than the rest of a load.
 */
function hashOf(text: string): string {
  const bytes = Buffer.from(text);
  const padded = new Uint8Array((bytes.length + 3) & ~3);
  padded.set(bytes);
  let [left, right] = [0x811c9dc5, 0x2f0b4c47];
  for (const word of new Int32Array(padded.buffer)) {
    left = Math.imul(left ^ word, 0x01000193);
    left ^= left >>> 13;
    right = Math.imul(right ^ word, 0x5bd1e995);
    right ^= right >>> 15;
  }
  return `${bytes.length}.${left >>> 0}.${right >>> 0}`;
}

/** A file as it was read before; undefined when it was not, or has changed since. */
export function readParsedCopy(home: HermesHome, text: string): SettingsDocument | undefined {
  const copy = parseJson(readCopy(home) ?? "null");
  if (!copy.ok || !isPlainRecord(copy.value)) return undefined;
  const { hash, root, ...rest } = copy.value;
  if (rest.program !== program || hash !== hashOf(text)) return undefined;
  const tree = valuesOf(root, text);
  // Every value was found by it, so it has the shape of one.
  return tree === undefined ? undefined : documentOf(text, tree, { root: root as Located, duplicates: [] });
}

function readCopy(home: HermesHome): string | undefined {
  try {
    return readBytes(fileIn(home))?.toString("utf8");
  } catch (error) {
    // Whatever keeps it from being read, the file itself is there.
    if (error instanceof UserError || systemErrorCode(error) !== undefined) return undefined;
    throw error;
  }
}

/** Keeps what was found in a file, unless some of it cannot be said by offsets. */
export async function writeParsedCopy(home: HermesHome, { text, tree, located }: GoodDocument): Promise<void> {
  const { root, duplicates } = located;
  if (duplicates.length > 0 || !isDeepStrictEqual(valuesOf(root, text), tree)) return;
  await ensureDir(home.cache, 0o700);
  const copy = { program, hash: hashOf(text), root };
  await writeFileAtomic(fileIn(home), JSON.stringify(copy), { mode: 0o600, fsync: false });
}
