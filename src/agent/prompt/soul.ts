import { writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { describe, systemErrorCode } from "#foundation/errors";
import { ensureDir, readTextFile } from "#foundation/files/files";
import type { Logger } from "#foundation/files/logger";
import { guardText, shortenText } from "./guarded-text.ts";
import { defaultIdentity } from "./layer-texts.ts";

const maxSoulBytes = 4 * 1024 * 1024;

export interface SoulReports {
  readonly log: Logger;
  /** Tells the user. */
  warn(text: string): void;
}

/**
 * The identity the user wrote into SOUL.md of the Hermes home. Missing, empty, unreadable or blocked by the
 * scan gives undefined, and with it the default identity; of the last two the user is told.
 */
export async function loadSoul(path: string, { log, warn }: SoulReports): Promise<string | undefined> {
  let text: string;
  try {
    text = ((await readTextFile(path, { maxBytes: maxSoulBytes })) ?? "").trim();
  } catch (error) {
    log.warn("SOUL.md could not be read; the default identity is used.", { file: path, cause: describe(error) });
    warn(`${path} could not be read, so the default identity is used: ${describe(error)}`);
    return undefined;
  }
  if (text === "") return undefined;
  const guarded = guardText(text, "SOUL.md", log);
  if (guarded.kind === "clean") return shortenText(guarded.text, "SOUL.md");
  warn(
    `${path} is not used because it reads like a prompt injection (${guarded.threats.join(", ")}). The default identity is used instead.`,
  );
  return undefined;
}

/** Puts a starter SOUL.md there on the first run. Never touches an existing one; says whether it wrote. */
export async function ensureSoul(path: string): Promise<boolean> {
  await ensureDir(dirname(path));
  try {
    await writeFile(path, `${defaultIdentity}\n`, { flag: "wx" });
    return true;
  } catch (error) {
    if (systemErrorCode(error) === "EEXIST") return false;
    throw error;
  }
}
