import type { GuardReport } from "#skills";
import type { Output } from "../../output/output.ts";

const most = 20;

/** What the guard saw, worst first. */
export function writeReport(out: Output, { verdict, findings, capabilities }: GuardReport): void {
  const paint = { safe: out.style.good, caution: out.style.caution, dangerous: out.style.bad }[verdict];
  out.line(`Guard: ${paint(verdict)}`);
  for (const { severity, says, file, line, excerpt } of findings.slice(0, most)) {
    out.line(`  ${severity.padEnd(8)} ${file}${line === undefined ? "" : `:${line}`}  ${says}`);
    if (excerpt !== undefined) out.line(out.style.dim(`           ${excerpt}`));
  }
  if (findings.length > most) out.line(`  and ${findings.length - most} more`);
  if (capabilities.used.length > 0) out.line(`Uses: ${capabilities.used.join(", ")}`);
}
