import { existsSync } from "node:fs";
import { copyFile, rm } from "node:fs/promises";
import { managedBy, managedError, prepareHome } from "#config";
import type { Invocation } from "../../command.ts";
import { flagText, hasFlag } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { isTerminal } from "../../support/ask.ts";
import { homeOf } from "../../support/home.ts";
import { printCommands, setUpUnattended } from "./unattended.ts";
import { runWizard } from "./wizard.ts";

/** A wizard at a terminal; without one either a real unattended set-up or the commands to type. */
export async function setup(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { io } = invocation;
  const isUnattended = hasFlag(invocation, "non-interactive") || !isTerminal(io);
  const hasAnswers = ["provider", "model", "api-key-env", "base-url"].some(
    (name) => flagText(invocation, name) !== undefined,
  );
  if (isUnattended && !hasAnswers) return printCommands(out);
  const home = homeOf(invocation);
  const manager = managedBy(home, io.env);
  if (manager !== undefined) throw managedError(manager, home.config);
  await prepareHome(home, io.env);
  if (hasFlag(invocation, "reset") && existsSync(home.config)) {
    const copy = `${home.config}.before-setup.bak`;
    await copyFile(home.config, copy);
    await rm(home.config);
    out.line(`Settings are at their defaults again; the old ones are ${copy}`);
  }
  return isUnattended ? await setUpUnattended(invocation, out) : await runWizard(invocation, out);
}
