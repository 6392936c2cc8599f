import { exitCodes, type Invocation } from "../../command.ts";
import { hasFlag } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { openModelAccess } from "../../support/models.ts";
import { examineAccounts } from "./accounts.ts";
import type { Check, Examine, Patient } from "./check.ts";
import { examineConfiguration } from "./configuration.ts";
import { examineExtensions } from "./extensions.ts";
import { examineFiles } from "./files.ts";
import { examineKeys } from "./keys.ts";
import { examineMachine } from "./machine.ts";
import { writeChecks } from "./report.ts";
import { examineTerminal } from "./terminal.ts";
import { examineWall } from "./wall.ts";

const examinations: readonly Examine[] = [
  examineMachine,
  examineTerminal,
  examineConfiguration,
  examineFiles,
  examineKeys,
  examineAccounts,
  examineExtensions,
];

/** Looks at everything, mends what it may with `--fix`, and looks again at what it mended. */
export async function doctor(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const fixed: string[] = [];
  let checks = await examine(invocation);
  if (hasFlag(invocation, "fix")) {
    for (const check of checks) {
      if (check.state === "ok" || check.fix === undefined) continue;
      fixed.push(await check.fix());
    }
    if (fixed.length > 0) checks = await examine(invocation);
  }
  const count = (state: Check["state"]): number => checks.filter((check) => check.state === state).length;
  out.document({
    checks: checks.map(({ fix, isSecurity, ...facts }) => ({
      ...facts,
      is_security: isSecurity ?? false,
      can_fix: fix !== undefined,
    })),
    fixed,
    failed: count("failed"),
    warnings: count("warning"),
  });
  write(out, checks, fixed);
  return count("failed") > 0 ? exitCodes.failed : exitCodes.ok;
}

async function examine(invocation: Invocation): Promise<readonly Check[]> {
  await using parts = await openModelAccess(invocation, { isQuiet: true });
  const patient: Patient = { invocation, parts, isOffline: hasFlag(invocation, "offline") };
  const found: Check[] = [];
  for (const look of examinations) found.push(...(await look(patient)));
  if (!hasFlag(invocation, "security")) return found;
  return [...(await examineWall(patient)), ...found.filter((check) => check.isSecurity === true)];
}

function write(out: Output, checks: readonly Check[], fixed: readonly string[]): void {
  writeChecks(out, checks);
  if (fixed.length > 0) {
    out.line();
    for (const text of fixed) out.line(`mended: ${text}`);
  }
  const mendable = checks.filter((check) => check.state !== "ok" && check.fix !== undefined).length;
  if (mendable > 0) out.line(`\n${mendable} of these can be fixed: hermes doctor --fix`);
}
