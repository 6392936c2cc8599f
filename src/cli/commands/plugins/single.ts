import { editConfig } from "#config";
import { UserError } from "#foundation/errors";
import type { Invocation } from "../../command.ts";
import { Output } from "../../output/output.ts";
import { isTerminal, openAsker } from "../../support/ask.ts";
import { memoryProviders } from "../../support/memory.ts";
import { openPlugins } from "../../support/plugins.ts";
import { editOptions, loadSettings } from "../../support/settings.ts";

interface Offer {
  readonly name: string;
  readonly about: string;
}

const none = "none";
const builtinEngine = "compressor";

/** Only one memory provider is in use; choosing one puts the other aside. */
export async function pluginsMemory(invocation: Invocation): Promise<number> {
  const offers = [
    { name: none, about: "only the built-in notes" },
    ...(await memoryProviders(invocation)).map(({ name, description }) => ({ name, about: description })),
  ];
  const { loaded } = await loadSettings(invocation, { isQuiet: true });
  const current = loaded.config.memory.provider || none;
  const chosen = await choose(invocation, { title: "Memory provider", current, offers });
  if (chosen === undefined) return 0;
  await save(invocation, ["memory", "provider"], chosen === none ? "" : chosen);
  const out = new Output(invocation);
  if (chosen !== none) out.line(`Answer its questions with: hermes memory setup ${chosen}`);
  return 0;
}

export async function pluginsContextEngine(invocation: Invocation): Promise<number> {
  const { host, contributions, loaded } = await openPlugins(invocation, { isLoaded: true });
  await using _plugins = host;
  const engine = contributions.contextEngine;
  const offers = [
    { name: builtinEngine, about: "summaries, comes with Hermes" },
    ...(engine === undefined ? [] : [{ name: engine.name, about: "from a plugin" }]),
  ];
  const chosen = await choose(invocation, { title: "Context engine", current: loaded.config.context.engine, offers });
  if (chosen !== undefined) await save(invocation, ["context", "engine"], chosen);
  return 0;
}

interface SingleChoice {
  readonly title: string;
  readonly current: string;
  readonly offers: readonly Offer[];
}

/** From the line, else from a list at a terminal; without either the present choice is shown. */
async function choose(invocation: Invocation, { title, current, offers }: SingleChoice): Promise<string | undefined> {
  const out = new Output(invocation);
  const input = invocation.args[0];
  if (input === undefined && (!isTerminal(invocation.io) || out.isJson)) {
    out.document({ current, offers });
    out.line(`${title}: ${current}`);
    for (const { name, about } of offers) out.line(`  ${name === current ? "*" : " "} ${name}  ${about}`);
    return undefined;
  }
  const wanted = input ?? (await asked(invocation, { title, current, offers }));
  if (!offers.some(({ name }) => name === wanted))
    throw new UserError(`There is no "${wanted}" to choose.`, {
      code: "plugin_unknown",
      hint: `Choose one of: ${offers.map(({ name }) => name).join(", ")}`,
    });
  out.document({ current: wanted, was: current });
  out.line(
    wanted === current ? `${title}: ${wanted}, as before.` : `${title}: ${wanted}, starting with the next session.`,
  );
  return wanted === current ? undefined : wanted;
}

async function asked({ io }: Invocation, { title, current, offers }: SingleChoice): Promise<string> {
  using asker = openAsker(io);
  const choices = offers.map(({ name, about }) => ({ label: name, detail: about, value: name }));
  const at = offers.findIndex(({ name }) => name === current);
  return await asker.choose(title, choices, at < 0 ? undefined : at);
}

async function save(invocation: Invocation, path: readonly string[], value: string): Promise<void> {
  const { home } = await loadSettings(invocation, { isQuiet: true });
  await editConfig([{ kind: "set", path, value }], editOptions(invocation, home));
}
