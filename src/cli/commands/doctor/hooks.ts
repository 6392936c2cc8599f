import { examineShellHooks } from "#plugins";
import { openHooks } from "../hooks/open.ts";
import type { Check, Examine } from "./check.ts";

/** Shell hooks that cannot do their work, in short; `hermes hooks doctor` says all of it. */
export const examineHooks: Examine = async ({ invocation }) => {
  const { reading, consent, location, autoAccept } = await openHooks(invocation, { isQuiet: true });
  const findings = await examineShellHooks(reading, { consent, location, autoAccept });
  const section = "Hooks";
  const problems = findings.filter((one) => one.severity === "problem");
  if (problems.length === 0)
    return [{ section, name: "configured", state: "ok", detail: String(reading.hooks.length) }];
  return problems.map(
    ({ event, command, text }): Check => ({
      section,
      name: event,
      state: "warning",
      detail: command === undefined ? text : `${command}: ${text}`,
      hint: "Run: hermes hooks doctor",
    }),
  );
};
