import { stripAnsi } from "#foundation/text/text";

/** Characters that are not seen but split a word in the eyes of a pattern: zero-width and direction marks. */
const invisible = /[\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\u00ad]/g;
const slashes = /[\u2044\u2215\u29f8]/g;
const dashes = /[\u2010-\u2015\u2212]/g;

/**
 * A command as the shell would most likely be meant to read it: terminal sequences, NULs and
 * invisible characters gone, full-width letters and look-alike punctuation as ASCII, continued lines joined.
 */
export function normalizeCommand(command: string): string {
  return stripAnsi(command)
    .replaceAll("\u0000", "")
    .replace(invisible, "")
    .replace(slashes, "/")
    .replace(dashes, "-")
    .normalize("NFKC")
    .replace(/\\\r?\n/g, "");
}
