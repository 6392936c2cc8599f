import { memoryTargets, missingVariables, readConfigSchema } from "#agent";
import type { Invocation } from "../../command.ts";
import { Output } from "../../output/output.ts";
import { loadProvider, openNotes } from "../../support/memory.ts";

export async function memoryStatus(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { notes, quarantine, loaded } = await openNotes(invocation);
  const targets = await Promise.all(
    memoryTargets.map(async (target) => {
      const entries = await notes.read(target);
      const { isEnabled, limit } = notes.settings[target];
      const chars = entries.join("\n§\n").length;
      return { target, file: notes.pathOf(target), is_enabled: isEnabled, entries: entries.length, chars, limit };
    }),
  );
  const pending = (await quarantine.list()).length;
  const provider = await providerState(invocation, loaded.config.memory.provider, loaded.environment.variables);
  out.document({ notes: targets, pending, provider });
  for (const one of targets) {
    const share = Math.round((100 * one.chars) / Math.max(1, one.limit));
    out.line(
      `${one.target.padEnd(7)} ${one.is_enabled ? "on " : "off"}  ${one.entries} entries, ${one.chars} of ${one.limit} characters (${share}%)  ${out.style.dim(one.file)}`,
    );
  }
  if (pending > 0) out.line(`${pending} changes await your decision: hermes memory pending`);
  if (provider === null) out.line("Provider: none (choose one with: hermes memory setup)");
  else {
    out.line(`Provider: ${provider.name}, ${provider.state}`);
    for (const name of provider.missing) out.line(`  ${name} is not set: hermes config set ${name} -`);
  }
  return provider !== null && provider.state !== "ready" ? 1 : 0;
}

interface ProviderState {
  readonly name: string;
  readonly state: "ready" | "not available" | "not installed";
  readonly missing: readonly string[];
}

async function providerState(
  invocation: Invocation,
  name: string,
  variables: Readonly<Record<string, string | undefined>>,
): Promise<ProviderState | null> {
  if (name === "") return null;
  await using loaded = await loadProvider(invocation, name);
  if (loaded === undefined) return { name, state: "not installed", missing: [] };
  const missing = missingVariables(readConfigSchema(loaded.provider.getConfigSchema()), variables);
  return { name, state: loaded.provider.isAvailable() && missing.length === 0 ? "ready" : "not available", missing };
}
