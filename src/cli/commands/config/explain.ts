import { describeSettings, describeSource, explain, explanationLines, noEffectOf, parseKeyPath } from "#config";
import type { Invocation } from "../../command.ts";
import { argument } from "../../invocation.ts";
import { snakeCase } from "../../output/json.ts";
import { Output } from "../../output/output.ts";
import { loadSettings } from "../../support/settings.ts";
import { unknownKey } from "./unknown-key.ts";

export async function configExplain(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const key = argument(invocation, 0);
  const { loaded } = await loadSettings(invocation);
  const explanation = explain(loaded, key);
  if (explanation.value === undefined) {
    const unknown = await unknownKey(key);
    if (unknown !== undefined) throw unknown;
  }
  const info = (await describeSettings()).find((setting) => setting.key === explanation.key);
  const noEffect = await noEffectOf(parseKeyPath(key));
  out.document({
    key: explanation.key,
    value: explanation.value ?? null,
    source: { ...(snakeCase(explanation.source) as object), text: describeSource(explanation.source) },
    not_used: explanation.losing.map(({ source, value }) => ({ value, source: describeSource(source) })),
    type: info?.type ?? null,
    description: info?.description ?? null,
    no_effect: noEffect ?? null,
  });
  for (const line of explanationLines(explanation)) out.line(line);
  if (info !== undefined) out.line(out.style.dim(`  ${info.description} (${info.type})`));
  if (noEffect !== undefined) out.line(out.style.caution(`  It has no effect: ${noEffect}`));
  return 0;
}
