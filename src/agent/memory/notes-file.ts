import { readFile } from "node:fs/promises";
import { describe, systemErrorCode, UserError } from "#foundation/errors";
import { readTextFile } from "#foundation/files/files";

const maxBytes = 1_048_576;

/**
 * The text of a file of ours, "" when there is none. A file that exists and cannot be read as text is an error and
 * never counts as empty: writing afterwards would destroy what a person put there.
 */
export async function readOwnText(path: string): Promise<string> {
  try {
    const text = (await readTextFile(path, { maxBytes })) ?? "";
    // A replacement character may have been written on purpose, or stand for bytes that are no UTF-8.
    if (text.includes("\uFFFD")) new TextDecoder("utf-8", { fatal: true }).decode(await readFile(path));
    return text;
  } catch (error) {
    throw new UserError(`${path} cannot be read: ${reasonOf(error)}.`, {
      hint: "Repair it or move it away; nothing is written to it until then.",
      code: "memory_unreadable",
      cause: error,
    });
  }
}

function reasonOf(error: unknown): string {
  if (systemErrorCode(error) === "ERR_ENCODING_INVALID_ENCODED_DATA") return "it is not UTF-8 text";
  return describe(error).replace(/\.$/, "");
}
