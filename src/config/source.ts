import { isUtf8 } from "node:buffer";
import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from "node:fs";
import { systemErrorCode, UserError } from "#foundation/errors";

/** No settings file is near this size; what is larger is something else. */
const maxSettingsBytes = 4 * 1024 * 1024;

/**
 * The bytes of a file, or undefined when there is none. Larger than the limit is a {@link UserError}. Read in place:
 * for files of this size a trip through the thread pool takes many times longer than the reading.
 */
export function readBytes(path: string): Buffer | undefined {
  try {
    // Most of the files a load looks for are not there, and an error takes many times longer to make than a question.
    if (statSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
    // A pipe without a writer must not hold up the program.
    const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const stats = fstatSync(descriptor);
      if (!stats.isFile() || stats.size > maxSettingsBytes) {
        throw new UserError(`${path} is not a settings file: ${stats.isFile() ? "too large" : "not a regular file"}.`, {
          code: "config_parse_error",
          exitCode: 4,
          hint: "Move it away and try again.",
        });
      }
      return readFileSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** UTF-8 with its byte order mark kept, so that writing the text back gives the same bytes; undefined for other bytes. */
export function decodeUtf8(bytes: Buffer): string | undefined {
  return isUtf8(bytes) ? bytes.toString("utf8") : undefined;
}
