import { examineShellHooks, type HookFinding } from "#plugins";
import { exitCodes, type Invocation } from "../../command.ts";
import { Output } from "../../output/output.ts";
import { oneLine } from "../../output/table.ts";
import { openHooks } from "./open.ts";

export async function hooksDoctor(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { reading, consent, location, autoAccept } = await openHooks(invocation);
  const findings = await examineShellHooks(reading, { consent, location, autoAccept });
  const problems = findings.filter((one) => one.severity === "problem");
  out.document({ hooks: reading.hooks.length, problems: problems.length, findings, auto_accept: autoAccept });
  for (const finding of findings) printFinding(out, finding);
  const count = reading.hooks.length === 1 ? "1 hook" : `${reading.hooks.length} hooks`;
  out.line(
    problems.length === 0
      ? `${out.style.good("✓")} ${count}, nothing wrong`
      : `${count}, ${problems.length} ${problems.length === 1 ? "problem" : "problems"}`,
  );
  return problems.length === 0 ? exitCodes.ok : exitCodes.failed;
}

function printFinding(out: Output, { severity, event, command, text, hint }: HookFinding): void {
  const mark = severity === "problem" ? out.style.bad("✗") : out.style.caution("⚠");
  out.line(`${mark} ${event}${command === undefined ? "" : `  ${oneLine(command)}`}: ${oneLine(text)}`);
  if (hint !== undefined) out.line(`    ${oneLine(hint)}`);
}
