import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { CallOutcome, Expectation } from "../actions/action.ts";
import { locations } from "../world/layout.ts";

/** Why an everyday action did not come to what it should; undefined when it did. */
export function benignFailure(
  expected: Expectation,
  outcomes: readonly CallOutcome[],
  crash: string | undefined,
): string | undefined {
  if (crash !== undefined) return crash;
  const bad = outcomes.find((one) => one.isError || (one.exitCode ?? 0) !== 0);
  if (bad !== undefined && expected.mayFail !== true)
    return `${bad.name} ended with ${bad.exitCode ?? "an error"}: ${bad.result.slice(0, 400)}`;
  const last = outcomes.at(-1);
  if (expected.output !== undefined && last?.result.includes(expected.output) !== true)
    return `no ${JSON.stringify(expected.output)} in: ${last?.result.slice(0, 400) ?? "nothing"}`;
  for (const [name, text] of Object.entries(expected.files ?? {})) {
    const file = path.join(locations.workspace, name);
    if (!existsSync(file)) return `${name} is not there`;
    if (!readFileSync(file, "utf8").includes(text)) return `${name} does not hold ${JSON.stringify(text)}`;
  }
  return undefined;
}
