import type { Invocation } from "../../command.ts";
import { hasFlag } from "../../invocation.ts";
import { snakeCase } from "../../output/json.ts";
import { Output } from "../../output/output.ts";
import { openSkillHub } from "../../support/skills.ts";
import { writeReport } from "./guard-text.ts";

/** Exit 1 when a skill cannot be compared or is gone, so that a script notices. */
export async function skillsCheck(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { hub } = await openSkillHub(invocation);
  const rows = await hub.check(invocation.args[0], invocation.io.signal);
  out.document({
    skills: rows.map(({ entry, state, reason }) => ({ name: entry.name, state, reason: reason ?? null })),
  });
  if (rows.length === 0) out.line("No skills are installed from a hub.");
  for (const { entry, state, reason } of rows)
    out.line(`${entry.name.padEnd(28)} ${state}${reason === undefined ? "" : `: ${reason}`}`);
  return rows.some(({ state }) => state === "unreachable" || state === "gone") ? 1 : 0;
}

export async function skillsUpdate(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { hub } = await openSkillHub(invocation);
  const options = { isForced: hasFlag(invocation, "force"), signal: invocation.io.signal };
  const rows = (await hub.update(invocation.args[0], options)).map(({ entry, state, outcome, reason }) => ({
    name: entry.name,
    state,
    outcome: outcome?.kind ?? null,
    reason: outcome?.kind === "blocked" ? outcome.reason : (reason ?? null),
  }));
  out.document({ skills: rows });
  if (rows.length === 0) out.line("No skills are installed from a hub.");
  for (const { name, state, outcome, reason } of rows)
    out.line(`${name.padEnd(28)} ${outcome ?? state}${reason === null ? "" : `: ${reason}`}`);
  return rows.some(({ outcome, state }) => outcome === "blocked" || state === "unreachable") ? 1 : 0;
}

export async function skillsAudit(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { hub } = await openSkillHub(invocation);
  const rows = await hub.audit(invocation.args[0], invocation.io.signal);
  out.document({
    skills: rows.map(({ entry, report, isChanged }) => ({
      name: entry.name,
      is_changed: isChanged,
      report: snakeCase(report),
    })),
  });
  if (rows.length === 0) out.line("No skills are installed from a hub.");
  for (const { entry, report, isChanged } of rows) {
    out.heading(`${entry.name}${isChanged ? " (changed since it was installed)" : ""}`);
    writeReport(out, report);
  }
  return rows.some(({ report }) => report.verdict === "dangerous") ? 1 : 0;
}
