import { stripAnsi } from "#foundation/text/text";
import type { Invocation } from "../../command.ts";
import { argument } from "../../invocation.ts";
import { snakeCase } from "../../output/json.ts";
import { Output } from "../../output/output.ts";
import { openSkillHub } from "../../support/skills.ts";
import { writeReport } from "./guard-text.ts";

export async function skillsInspect(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { hub } = await openSkillHub(invocation);
  const { bundle, report } = await hub.inspect(argument(invocation, 0), invocation.io.signal);
  const text = new TextDecoder().decode(bundle.files.get("SKILL.md"));
  const files = [...bundle.files].map(([path, bytes]) => ({ path, bytes: bytes.length }));
  out.document({ skill: bundle.entry, revision: bundle.revision ?? null, files, report: snakeCase(report), text });
  out.heading(`${bundle.entry.name}  ${bundle.entry.identifier} (${bundle.entry.trust})`);
  out.line(bundle.entry.description);
  for (const { path, bytes } of files) out.line(`  ${path}  ${bytes} bytes`);
  writeReport(out, report);
  out.line();
  out.line(stripAnsi(text));
  return 0;
}
