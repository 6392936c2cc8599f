import {
  type Answers,
  applyAnswers,
  bundledProviders,
  type ConfigSchema,
  type ProviderHost,
  questionsFor,
  readConfigSchema,
  setupKind,
} from "#agent";
import { editConfig, writeSecret } from "#config";
import { defined } from "#foundation/defined";
import { UserError } from "#foundation/errors";
import { Secret } from "#foundation/secrets/secret";
import type { Invocation } from "../../command.ts";
import { flagList } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { type Asker, isTerminal, openAsker } from "../../support/ask.ts";
import { loadProvider, memoryProviders, type ProviderOffer, providerHost } from "../../support/memory.ts";
import { editOptions, loadSettings } from "../../support/settings.ts";
import { usageError } from "../../usage-error.ts";

/** Asks what the provider wants to know: secrets go to `.env`, the rest to the provider itself. */
export async function memorySetup(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { home, loaded } = await loadSettings(invocation);
  using asker = isTerminal(invocation.io) ? openAsker(invocation.io) : undefined;
  const name = await chosenName(invocation, asker);
  await using opened = await loadProvider(invocation, name);
  if (opened === undefined)
    throw new UserError(`The memory provider "${name}" cannot be loaded.`, {
      code: "provider_unknown",
      hint: "See what is there: hermes plugins list",
    });
  const { provider } = opened;
  const variables = loaded.environment.variables;
  if (provider.postSetup !== undefined) {
    await provider.postSetup(home.root, {});
  } else {
    const schema = readConfigSchema(provider.getConfigSchema());
    const answers = await gather({ schema, variables, asker, input: presetAnswers(invocation) });
    const hasSaveConfig = provider.saveConfig !== undefined;
    const { environment, values, problems } = applyAnswers(schema, answers, { environment: variables, hasSaveConfig });
    if (problems.length > 0)
      throw new UserError(problems.join(" "), { code: "setup_incomplete", hint: "Answer with: --set key=value" });
    for (const [variable, value] of Object.entries(environment))
      await writeSecret(variable, new Secret(value), editOptions(invocation, home));
    await provider.saveConfig?.(values, home.root);
  }
  await editConfig([{ kind: "set", path: ["memory", "provider"], value: name }], editOptions(invocation, home));
  out.document({ provider: name });
  out.line(`${name} is used from the next session on, alongside the built-in notes.`);
  return 0;
}

async function chosenName(invocation: Invocation, asker: Asker | undefined): Promise<string> {
  const input = invocation.args[0];
  if (input !== undefined) return input;
  const offers = await memoryProviders(invocation);
  if (asker === undefined)
    throw usageError(
      "Which provider? This is not a terminal, so it cannot be asked.",
      `Name one: hermes memory setup ${offers.map(({ name }) => name).join(" | ")}`,
    );
  const host = await providerHost(invocation);
  const choices = offers.map(async (offer) => ({
    label: offer.name,
    detail: await detailOf(offer, host),
    value: offer.name,
  }));
  return await asker.choose("Which memory provider?", await Promise.all(choices));
}

/** What there is to set up, for providers that come with the program; the code of a plugin does not run before it is chosen. */
async function detailOf({ name, description }: ProviderOffer, host: ProviderHost): Promise<string> {
  const bundled = bundledProviders.find((one) => one.name === name);
  if (bundled === undefined) return description;
  const provider = await bundled.load(host);
  return `${description} (${setupKind(readConfigSchema(provider.getConfigSchema()))})`;
}

/** `--set key=value`. */
function presetAnswers(invocation: Invocation): Answers {
  return Object.fromEntries(
    flagList(invocation, "set").map((pair) => {
      const at = pair.indexOf("=");
      if (at <= 0) throw usageError(`"${pair}" is not key=value.`, "For example: --set mode=local");
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

interface Interview {
  readonly schema: ConfigSchema;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly asker: Asker | undefined;
  readonly input: Answers;
}

/** One question at a time, because answers open and close others. Without a terminal the defaults answer. */
async function gather({ schema, variables, asker, input }: Interview): Promise<Answers> {
  let answers: Answers = input;
  for (;;) {
    const [question] = questionsFor(schema, answers, variables);
    if (question === undefined) return answers;
    answers = { ...answers, [question.key]: await ask(question, asker) };
  }
}

type Question = ReturnType<typeof questionsFor>[number];

async function ask(question: Question, asker: Asker | undefined): Promise<string> {
  const { kind, prompt, choices = [], url, existing } = question;
  const usual = question.default;
  if (asker === undefined) return usual ?? "";
  const from = url === undefined ? "" : ` (from ${url})`;
  switch (kind) {
    case "secret":
      return await asker.secret(`${prompt}${from}${existing === undefined ? "" : `, empty keeps ${existing}`}`);
    case "choice": {
      const position = usual === undefined ? -1 : choices.indexOf(usual);
      const list = choices.map((choice) => ({ label: choice, value: choice }));
      return await asker.choose(prompt, list, position < 0 ? undefined : position);
    }
    case "text":
      return await asker.text(`${prompt}${from}`, defined({ usual }));
  }
}
