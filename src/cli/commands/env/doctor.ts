import { examineEnvironment, findEnvironment } from "#environments";
import { defined } from "#foundation/defined";
import { exitCodes, type Invocation } from "../../command.ts";
import { argument, hasFlag } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { openRolloutsFor } from "../../support/rollouts.ts";
import { writeChecks } from "../doctor/report.ts";
import { environmentFields } from "./fields.ts";

/** Looks at what a run of an environment needs, and says what is missing before a model is paid for. */
export async function envDoctor(invocation: Invocation): Promise<number> {
  const { io } = invocation;
  const definition = await findEnvironment(argument(invocation, 0), io.cwd);
  const config = await environmentFields(definition, invocation);
  await using rollouts = await openRolloutsFor(invocation, [["terminal.backend", config.env.terminal_backend]]);
  const findings = await examineEnvironment(
    definition,
    { rollouts, config, cwd: io.cwd, env: io.env, allowsLocal: hasFlag(invocation, "allow-local-exec") },
    io.signal,
  );
  const out = new Output(invocation);
  const failed = findings.filter(({ state }) => state === "failed").length;
  out.document({ environment: definition.name, checks: findings, failed });
  writeChecks(
    out,
    findings.map(({ hint, ...finding }) => ({
      ...finding,
      section: definition.name,
      ...defined({ hint }),
    })),
  );
  return failed > 0 ? exitCodes.failed : exitCodes.ok;
}
