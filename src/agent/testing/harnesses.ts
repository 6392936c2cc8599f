import { afterEach } from "vitest";
import { type HarnessGiven, openHarness } from "./harness.ts";
import { defaultAgentSettings } from "./index.ts";

/** Opens agents for the tests of one file and closes them after each test. */
export function harnesses() {
  const open: AsyncDisposable[] = [];
  afterEach(async () => {
    for (const one of open.splice(0)) await one[Symbol.asyncDispose]();
  });
  return async (input: HarnessGiven = {}) => {
    const one = await openHarness(input);
    open.push(one);
    return one;
  };
}

export const protocols = ["chat_completions", "anthropic_messages", "codex_responses"] as const;

export const withSteps = (maxSteps: number) => ({ settings: { ...defaultAgentSettings, maxSteps } });
