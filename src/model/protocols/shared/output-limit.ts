import type { ModelRequest } from "../../request.ts";

/** What was asked for: the one-shot value, else what the user or provider wants as usual. */
export function wantedOutput({ target, options }: ModelRequest): number | undefined {
  return [options.maxOutputTokens, target.limits.defaultOutputTokens].find(
    (value) => value !== undefined && Number.isInteger(value) && value > 0,
  );
}

/** Used where a wire insists on a number and nobody knows the model's own limit. */
const unknownLimit = 128_000;

/** For wires that insist on a limit: never more than fits beside one token of input. */
export function insistedOutput(request: ModelRequest): number {
  const { limits } = request.target;
  const wanted = wantedOutput(request) ?? limits.maxOutputTokens ?? unknownLimit;
  return Math.max(1, Math.min(wanted, limits.contextWindow - 1));
}
