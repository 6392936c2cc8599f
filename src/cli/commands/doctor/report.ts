import type { Output } from "../../output/output.ts";
import type { Check } from "./check.ts";

/** The checks on the screen, section by section. */
export function writeChecks(out: Output, checks: readonly Check[]): void {
  const marks = { ok: out.style.good("✓"), warning: out.style.caution("⚠"), failed: out.style.bad("✗") };
  for (const section of new Set(checks.map((check) => check.section))) {
    out.heading(section);
    for (const check of checks.filter((one) => one.section === section)) {
      out.line(`  ${marks[check.state]} ${check.name}${check.detail === undefined ? "" : `: ${check.detail}`}`);
      if (check.state !== "ok" && check.hint !== undefined) out.line(out.style.dim(`      ${check.hint}`));
    }
  }
}
