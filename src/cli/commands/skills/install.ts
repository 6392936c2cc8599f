import { defined } from "#foundation/defined";
import { UserError } from "#foundation/errors";
import { exitCodes, type Invocation } from "../../command.ts";
import { argument, flagText, hasFlag } from "../../invocation.ts";
import { snakeCase } from "../../output/json.ts";
import { Output } from "../../output/output.ts";
import { agreed, isTerminal } from "../../support/ask.ts";
import { openSkillHub } from "../../support/skills.ts";
import { writeReport } from "./guard-text.ts";

/** Shows what the guard says before anything of a stranger's becomes part of the home. */
export async function skillsInstall(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { io } = invocation;
  const { hub } = await openSkillHub(invocation);
  const identifier = argument(invocation, 0);
  const isForced = hasFlag(invocation, "force");
  const isYes = hasFlag(invocation, "yes") || isForced;
  if (!isYes && (isTerminal(io) || !out.isJson)) {
    const { bundle, report } = await hub.inspect(identifier, io.signal);
    out.heading(`${bundle.entry.name}  (${bundle.entry.trust})`);
    out.line(bundle.entry.description);
    writeReport(out, report);
    if (!(await agreed(`Install ${bundle.entry.name}?`, { io, isYes }))) {
      out.line("Nothing was installed.");
      return exitCodes.failed;
    }
  }
  const category = flagText(invocation, "category");
  const outcome = await hub.install(identifier, {
    isForced,
    signal: io.signal,
    ...defined({ category }),
  });
  if (outcome.kind === "blocked") {
    writeReport(out, outcome.report);
    throw new UserError(`${identifier} was not installed: ${outcome.reason}.`, {
      code: "skill_blocked",
      exitCode: exitCodes.denied,
      ...(outcome.canForce ? { hint: "If you have read it and trust it, install it with --force." } : {}),
    });
  }
  out.document({ outcome: outcome.kind, skill: snakeCase(outcome.entry), verdict: outcome.report.verdict });
  out.line(
    `${outcome.kind === "updated" ? "Updated" : "Installed"} ${outcome.entry.name} in skills/${outcome.entry.installPath}`,
  );
  return 0;
}

export async function skillsUninstall(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { hub } = await openSkillHub(invocation);
  const entry = await hub.uninstall(argument(invocation, 0), invocation.io.signal);
  out.document({ uninstalled: entry.name });
  out.line(`Removed ${entry.name}; for 30 days this brings it back: hermes skills restore ${entry.name}`);
  return 0;
}
