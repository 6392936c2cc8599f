import { distributions } from "#tools";
import type { Invocation } from "../../command.ts";
import { Output } from "../../output/output.ts";
import { loadSettings } from "../../support/settings.ts";

/** Every distribution by name, its likeliest toolsets first. */
export async function listDistributions(invocation: Invocation): Promise<number> {
  const { loaded } = await loadSettings(invocation);
  const all = Object.entries({ ...distributions, ...loaded.config.toolset_distributions }).sort(([left], [right]) =>
    left < right ? -1 : 1,
  );
  const out = new Output(invocation);
  out.document({ distributions: Object.fromEntries(all) });
  for (const [name, chances] of all) {
    out.heading(name);
    for (const [toolset, percent] of Object.entries(chances).sort(([, left], [, right]) => right - left))
      out.line(`  ${toolset.padEnd(12)} ${percent}%`);
  }
  return 0;
}
