import { editConfig, type SettingChange } from "#config";
import { UserError } from "#foundation/errors";
import { plural } from "#foundation/text/figures";
import { type FallbackEntry, parseFallbackChain, parseModelArgument } from "#model";
import type { Invocation } from "../../command.ts";
import { argument, hasFlag } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { agreed, isTerminal } from "../../support/ask.ts";
import { type ModelAccess, openModelAccess } from "../../support/models.ts";
import { endpointsOf, findProvider } from "../../support/provider.ts";
import { editOptions } from "../../support/settings.ts";
import { usageError } from "../../usage-error.ts";
import { rememberEndpoint } from "./remember-endpoint.ts";

export async function fallbackList(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  await using parts = await openModelAccess(invocation);
  const { entries, warnings } = parseFallbackChain(parts.loaded.config);
  out.document({ fallbacks: entries.map(documentOf), warnings });
  for (const warning of warnings) out.note(warning);
  if (entries.length === 0) out.line("There are no fallback models. Add one: hermes fallback add <provider:model>");
  for (const [index, entry] of entries.entries()) out.line(`${index + 1}  ${nameOf(entry)}`);
  return 0;
}

export async function fallbackAdd(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  await using parts = await openModelAccess(invocation);
  const added = await wanted(invocation, parts);
  const { entries } = parseFallbackChain(parts.loaded.config);
  if (entries.some((entry) => nameOf(entry) === nameOf(added)))
    throw new UserError(`${nameOf(added)} is already in the list.`, { code: "fallback_exists" });
  await save(invocation, parts, additionTo(parts, added));
  out.document({ added, position: entries.length + 1 });
  out.line(`${nameOf(added)} is now fallback number ${entries.length + 1}.`);
  return 0;
}

export async function fallbackRemove(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  await using parts = await openModelAccess(invocation);
  const { entries } = parseFallbackChain(parts.loaded.config);
  const text = argument(invocation, 0);
  const index = /^\d+$/.test(text) ? Number(text) - 1 : entries.findIndex((entry) => nameOf(entry) === text);
  const removed = entries[index];
  if (removed === undefined)
    throw new UserError(`There is no fallback "${text}".`, {
      code: "fallback_not_found",
      hint: "See them with: hermes fallback list",
    });
  await save(invocation, parts, removalOf(parts, removed));
  out.document({ removed: documentOf(removed) });
  out.line(`${nameOf(removed)} is no longer a fallback.`);
  return 0;
}

export async function fallbackClear(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  await using parts = await openModelAccess(invocation);
  const { entries } = parseFallbackChain(parts.loaded.config);
  const question = entries.length === 1 ? "Remove the fallback?" : `Remove all ${entries.length} fallbacks?`;
  if (entries.length > 0 && !(await agreed(question, { io: invocation.io, isYes: hasFlag(invocation, "yes") }))) {
    out.line("Nothing was removed.");
    return 1;
  }
  await save(invocation, parts, [
    { kind: "unset", path: ["fallback_providers"] },
    { kind: "unset", path: ["fallback_model"] },
  ]);
  out.document({ removed: entries.length });
  out.line(`Removed ${plural(entries.length, "fallback")}.`);
  return 0;
}

/** What was typed, else what is chosen at a terminal. */
async function wanted(invocation: Invocation, parts: ModelAccess): Promise<Choice> {
  const { context } = parts.models;
  const text = invocation.args[0];
  if (text === undefined) {
    if (!isTerminal(invocation.io))
      throw usageError(
        "hermes fallback add needs <provider:model>.",
        "For example: hermes fallback add openrouter:openai/gpt-5.2",
      );
    const { pickModel } = await import("./pick.ts");
    const { changes, ...choice } = await rememberEndpoint(invocation, await pickModel(invocation, parts));
    if (changes.length > 0) await save(invocation, parts, changes);
    return choice;
  }
  const { provider, model } = parseModelArgument(text, {
    registry: context.registry,
    named: endpointsOf(context).endpoints,
  });
  if (provider === undefined || model === undefined)
    throw usageError(`"${text}" is not a provider and model.`, "Write both: hermes fallback add <provider:model>");
  return { provider: findProvider(provider, context).key, model };
}

/** Touches one entry only: what stands in the others, such as a reference to a variable, stays as it is written. */
function additionTo({ loaded }: ModelAccess, entry: Choice): readonly SettingChange[] {
  const { fallback_providers: list, fallback_model: single } = loaded.config;
  if (list.length > 0) return [{ kind: "set", path: ["fallback_providers", String(list.length)], value: entry }];
  if (single === undefined || single.provider === "")
    return [{ kind: "set", path: ["fallback_providers"], value: [entry] }];
  if (!single.api_key.isEmpty)
    throw new UserError("fallback_model contains a key, and would be replaced by a list.", {
      code: "fallback_has_key",
      hint: "Move it to fallback_providers yourself first: hermes config edit",
    });
  const { api_key: _none, ...kept } = single;
  const first = Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== ""));
  return [
    { kind: "set", path: ["fallback_providers"], value: [first, entry] },
    { kind: "unset", path: ["fallback_model"] },
  ];
}

function removalOf({ loaded }: ModelAccess, { provider, model }: Choice): readonly SettingChange[] {
  const { fallback_providers: list } = loaded.config;
  const at = list.findIndex((one) => one.provider === provider && one.model === model);
  return [{ kind: "unset", path: at < 0 ? ["fallback_model"] : ["fallback_providers", String(at)] }];
}

async function save(invocation: Invocation, { home }: ModelAccess, changes: readonly SettingChange[]): Promise<void> {
  await editConfig(changes, editOptions(invocation, home));
}

type Choice = Pick<FallbackEntry, "provider" | "model">;

const nameOf = ({ provider, model }: Choice): string => `${provider}:${model}`;

const documentOf = ({ provider, model, baseUrl }: FallbackEntry) => ({ provider, model, base_url: baseUrl ?? null });
