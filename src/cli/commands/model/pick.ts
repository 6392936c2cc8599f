import { UserError } from "#foundation/errors";
import { Secret } from "#foundation/secrets/secret";
import { maskKey } from "#model";
import type { Invocation } from "../../command.ts";
import { Output } from "../../output/output.ts";
import { type Asker, type Choice, openAsker } from "../../support/ask.ts";
import type { ModelAccess } from "../../support/models.ts";
import { type NamedProvider, openPool } from "../../support/provider.ts";
import { sayEndpoint } from "../auth/add.ts";
import { allProviders } from "../auth/list.ts";
import { login } from "../auth/login.ts";
import { machineOffer } from "../local/offer.ts";
import { type RunningServer, runningServers } from "../local/running-servers.ts";
import { prices } from "./list.ts";
import { pickFromServer, pickOwnEndpoint } from "./own-endpoint.ts";
import type { ModelChoice } from "./save.ts";

/** A choice together with an endpoint that has to be remembered under a name. */
export interface PickedModel extends ModelChoice {
  readonly endpoint?: {
    readonly name: string;
    readonly baseUrl: string;
    readonly contextLength?: number;
    readonly apiKey?: Secret;
  };
}

/** Provider, credential and model, asked one after the other; nothing is saved here. */
export async function pickModel(invocation: Invocation, parts: ModelAccess): Promise<PickedModel> {
  const picked = await pickOrLeave(invocation, parts);
  if (picked !== undefined) return picked;
  throw new UserError("Nothing was chosen, so nothing has changed.", { code: "interrupted", exitCode: 0 });
}

/** Undefined: the person left without a choice. */
export async function pickOrLeave(invocation: Invocation, parts: ModelAccess): Promise<PickedModel | undefined> {
  const picked = await pickFrom(invocation, parts, []);
  return typeof picked === "string" ? undefined : picked;
}

/** Other things that can be done with models, offered below the providers. */
export type Extra = "remove" | "auxiliary";

export async function pickFrom(
  invocation: Invocation,
  parts: ModelAccess,
  extras: readonly Choice<Extra>[],
): Promise<PickedModel | Extra | undefined> {
  const location = { invocation, parts };
  const choice = await asking(invocation, (asker) => pickProvider(asker, location, extras));
  if (choice === "leave") return undefined;
  if (choice === "remove" || choice === "auxiliary") return choice;
  if (choice === "own") return await asking(invocation, (asker) => pickOwnEndpoint(asker, invocation));
  if (choice.kind === "server") return await asking(invocation, (asker) => pickFromServer(asker, choice));
  if (isServedHere(choice)) {
    const { pickServed } = await import("../local/pick.ts");
    return await pickServed(invocation);
  }
  if (!(await hasCredential(choice, location))) return undefined;
  const model = await asking(invocation, (asker) => pickModelOf(asker, choice, location));
  return model === "" ? undefined : { provider: choice.key, model };
}

/** A login in between asks questions of its own, so nobody else may listen then. */
async function asking<T>({ io }: Invocation, ask: (asker: Asker) => Promise<T>): Promise<T> {
  using asker = openAsker(io);
  return await ask(asker);
}

function isServedHere(provider: NamedProvider): boolean {
  return provider.kind === "profile" && provider.profile.isServedHere === true;
}

type Way = NamedProvider | RunningServer | Extra | "own" | "leave";

async function pickProvider(
  asker: Asker,
  { invocation, parts: { models } }: Location,
  extras: readonly Choice<Extra>[],
): Promise<Way> {
  const [ready, servers] = await Promise.all([
    models.choices(invocation.io.signal),
    runningServers(invocation.io.env, invocation.io.signal),
  ]);
  const choices = allProviders(models.context).map((provider): Choice<Way> => {
    const known = ready.find((entry) => entry.provider === provider.key);
    if (known !== undefined) return { label: provider.label, detail: `ready (${known.source})`, value: provider };
    return { label: provider.label, detail: isServedHere(provider) ? localOffer() : "", value: provider };
  });
  return await asker.choose<Way>("Which provider?", [
    ...servers.map((server) => ({ label: server.label, detail: server.detail, value: server })),
    ...inUsefulOrder([...choices, ownServer]),
    ...extras,
    { label: "Leave unchanged", value: "leave" },
  ]);
}

const ownServer: Choice<"own"> = {
  label: "Custom endpoint",
  detail: "a local server (Ollama, LM Studio, llama.cpp, vLLM) or any URL",
  value: "own",
};

function localOffer(): string {
  const offer = machineOffer();
  return offer === "" ? "" : `a local model: ${offer}`;
}

/** Most people look for one of these; the rest follows as it is listed everywhere. */
const common = ["openrouter", "anthropic", "openai", "gemini", "nous"];

/** What is ready, then what is common, then a server of one's own, then everything else. */
function inUsefulOrder(choices: readonly Choice<Way>[]): readonly Choice<Way>[] {
  const rank = ({ detail, value }: Choice<Way>): number => {
    if (value === "own") return common.length;
    if (detail !== undefined && detail !== "") return -1;
    const at = typeof value === "object" && value.kind !== "server" ? common.indexOf(value.key) : -1;
    return at < 0 ? common.length + 1 : at;
  };
  return [...choices].sort((left, right) => rank(left) - rank(right));
}

interface Location {
  readonly invocation: Invocation;
  readonly parts: ModelAccess;
}

/** What is there is offered first; a key is typed unseen; a login is made where the provider has one. */
async function hasCredential(provider: NamedProvider, { invocation, parts }: Location): Promise<boolean> {
  const { context } = parts.models;
  const { signal } = invocation.io;
  const out = new Output(invocation);
  const pool = await openPool(provider, context, signal);
  const [known] = await pool.members(signal);
  const hasFlow = context.flows.has(provider.key);
  const ways: Choice<"keep" | "key" | "login" | "back">[] = [
    ...(known === undefined
      ? []
      : [
          {
            label: "Use what is there",
            detail: `${maskKey(known.secret)} from ${known.source}`,
            value: "keep" as const,
          },
        ]),
    ...(takesKey(provider) ? [{ label: "Enter a key", detail: signUp(provider), value: "key" as const }] : []),
    ...(hasFlow ? [{ label: "Log in", detail: "in the browser", value: "login" as const }] : []),
    { label: "Back out", value: "back" },
  ];
  const way = await asking(invocation, (asker) => asker.choose(`How do you want to use ${provider.label}?`, ways, 0));
  switch (way) {
    case "keep":
      if (known !== undefined) await sayEndpoint(provider, known.secret, { context, out, signal });
      return true;
    case "back":
      return false;
    case "login": {
      const { account } = await login(invocation, provider, context);
      out.line(`Logged in${account === undefined ? "" : ` as ${account}`}.`);
      return true;
    }
    case "key": {
      const typed = await asking(invocation, (asker) => asker.secret(`Key for ${provider.label}`));
      if (typed === "") return false;
      const secret = new Secret(typed);
      await pool.add({ secret }, signal);
      await sayEndpoint(provider, secret, { context, out, signal });
      return true;
    }
  }
}

const takesKey = (provider: NamedProvider): boolean =>
  provider.kind === "endpoint" || provider.profile.authKind === "api_key" || provider.profile.keyEnv.length > 0;

const signUp = (provider: NamedProvider): string =>
  provider.kind === "profile" && provider.profile.signUpUrl !== undefined ? `from ${provider.profile.signUpUrl}` : "";

/** The recommended ones with their prices, or any other by name. */
async function pickModelOf(asker: Asker, provider: NamedProvider, { invocation, parts }: Location): Promise<string> {
  const { models } = parts;
  const listed = await models.choices(invocation.io.signal);
  const names =
    listed.find((entry) => entry.provider === provider.key)?.models ??
    (provider.kind === "profile" ? provider.profile.curatedModels : []);
  const baseUrl = provider.kind === "profile" ? provider.profile.baseUrl : provider.baseUrl;
  const choices = names.map((name): Choice<string | undefined> => {
    const quote = prices(models.catalog.catalog.prices({ provider: provider.key, model: name, baseUrl }));
    return { label: name, detail: priceNote(quote.usd_per_million_input, quote.usd_per_million_output), value: name };
  });
  const chosen = await asker.choose("Which model?", [...choices, { label: "Another, by name", value: undefined }]);
  return chosen ?? (await asker.text("Model"));
}

function priceNote(input: number | null, output: number | null): string {
  if (input === null || output === null) return "";
  return input === 0 && output === 0 ? "free" : `$${input.toFixed(2)} in, $${output.toFixed(2)} out per million tokens`;
}
