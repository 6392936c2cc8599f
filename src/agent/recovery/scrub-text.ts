import { scrubDeep } from "#foundation/text/json";
import type { Remedy } from "./remedy.ts";

const encodingWords = /surrogate|utf-?8|unicode|invalid (?:character|string|byte)|codec can't encode/i;

/** Text that no wire accepts: halves of characters are replaced, in the whole history. */
export const scrubText: Remedy = {
  name: "scrub-text",
  limit: { per: "turn", times: 2 },
  treats: (problem) =>
    problem.stage === "request" &&
    problem.failure.kind === "format_error" &&
    encodingWords.test(problem.failure.message),
  apply(_problem, turn) {
    const clean = scrubDeep(turn.history);
    if (clean === turn.history) return Promise.resolve(undefined);
    turn.replaceHistory(clean, "text scrubbed");
    return Promise.resolve({ kind: "retry", waitMs: 0 });
  },
};
