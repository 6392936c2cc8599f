import type { ApprovalScopes } from "#conversation";
import type { Finding } from "../contract/approval-request.ts";
import { type DetectLocation, detect } from "./detector/detect.ts";

/** How far each answer reaches. Whoever changes what a grant covers changes these words. */
export function scopesOf(findings: readonly Finding[], folder?: string): ApprovalScopes {
  const once = "exactly this, one time";
  if (findings.some(({ isExact }) => isExact === true))
    return { once, session: "exactly this text in this folder, until this session ends", always: "" };
  const what = [...new Set(findings.map(({ key }) => key))].join(", ");
  return {
    once,
    ...(folder === undefined ? {} : { folder: `${what} below ${folder}, until this session ends` }),
    session: `anything that counts as ${what}, until this session ends`,
    always: `anything that counts as ${what}, from now on in every session (saved)`,
  };
}

/** A script that is longer is read as a whole only. */
const maxLines = 400;

/** The lines of a script that by themselves would have been asked about for the same reasons; none for a single line. */
export function linesOf(
  command: string,
  findings: readonly Finding[],
  location: DetectLocation,
): readonly number[] | undefined {
  const lines = command.split("\n");
  if (lines.length < 2 || lines.length > maxLines) return undefined;
  const keys = new Set(findings.map(({ key }) => key));
  const telling = lines.flatMap((line, index) =>
    line.trim() !== "" && detect(line, location).findings.some(({ key }) => keys.has(key)) ? [index] : [],
  );
  return telling.length === 0 ? undefined : telling;
}
