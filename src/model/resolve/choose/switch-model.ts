import { defined } from "#foundation/defined";
import { nearest } from "#foundation/text/text";
import type { CredentialHandle } from "../../credential-handle.ts";
import { findNamed, readNamedEndpoints } from "../../providers/custom.ts";
import { parseModelArgument } from "../../providers/model-argument.ts";
import { isModelAlias, newestOf } from "../../providers/models/model-alias.ts";
import type { ProviderProfile } from "../../providers/provider.ts";
import type { ProtocolName, Target } from "../../target.ts";
import type { ResolveContext, ResolvedTarget, TargetRequest } from "../context.ts";
import { demoModelName, demoProvider } from "../demo.ts";
import { expandUserAlias, offeredModels } from "../model-choice.ts";
import { resolveTarget } from "../resolve.ts";
import { listKey } from "../resolve-custom.ts";
import { usableProviders } from "./usable-providers.ts";

/** What a switch of the model came to, for every surface alike. */
export type ModelSwitch =
  | {
      readonly kind: "switched";
      readonly model: string;
      readonly provider: string;
      readonly hasProviderChanged: boolean;
      readonly baseUrl: string;
      readonly protocol: ProtocolName;
      readonly credential: CredentialHandle;
      readonly contextWindow: number;
      readonly maxOutputTokens?: number;
      readonly supportsImages?: boolean;
      readonly warnings: readonly string[];
      readonly resolution: ResolvedTarget;
    }
  | { readonly kind: "failure"; readonly code: string; readonly message: string; readonly hint: string };

/** Where the conversation is now; a bare model name stays there. */
type Standing = Pick<Target, "provider" | "baseUrl">;

export interface SwitchRequest {
  /** What was typed after `/model`. */
  readonly text: string;
  readonly standing?: Standing;
}

/** Takes apart what was typed, finds the provider, its credentials and the model's real name. */
export async function switchModel(
  { text, standing }: SwitchRequest,
  context: ResolveContext,
  signal: AbortSignal,
): Promise<ModelSwitch> {
  const named = readNamedEndpoints(
    context.settings.custom_providers,
    context.settings.providers,
    context.registry,
  ).endpoints;
  const typed = parseModelArgument(text, { registry: context.registry, named });
  if (typed.model === undefined && typed.provider === undefined) {
    return { kind: "failure", code: "model_not_found", message: "No model was named.", hint: "Type: /model <name>" };
  }
  const expanded = expandUserAlias(typed, context);
  const isOwnAlias = expanded !== typed;
  const placed = isOwnAlias ? expanded : await locationAlias({ wanted: expanded, standing }, context, signal);
  if ("kind" in placed) return placed;
  const wanted: TargetRequest = placed.provider === undefined ? stay(placed, standing, context) : placed;
  const resolution = await resolveTarget(wanted, context, signal);
  if (resolution.kind === "failure") {
    const { code, message, hint } = resolution;
    return { kind: "failure", code, message, hint };
  }
  const { target, notices } = resolution;
  const unlisted = unlistedModel(target, context);
  if (unlisted !== undefined) return { kind: "failure", code: "model_not_found", ...unlisted };
  const { maxOutputTokens } = target.limits;
  const { supportsImages } = target.quirks;
  return {
    kind: "switched",
    model: target.model,
    provider: target.provider,
    hasProviderChanged: standing !== undefined && standing.provider !== target.provider,
    baseUrl: target.baseUrl,
    protocol: target.protocol,
    credential: target.credential,
    contextWindow: target.limits.contextWindow,
    ...defined({ maxOutputTokens, supportsImages }),
    warnings: notices,
    resolution,
  };
}

/** A bare model name belongs to the provider of the conversation, at the address it has now. */
function stay(wanted: TargetRequest, standing: Standing | undefined, context: ResolveContext): TargetRequest {
  // The demo model has no other names: another one is looked for among the providers that are set up.
  if (standing === undefined || (standing.provider === demoProvider && wanted.model !== demoModelName)) return wanted;
  const isUnsaved = context.registry.find(standing.provider)?.isOwnEndpoint === true;
  return { ...wanted, provider: standing.provider, ...(isUnsaved ? { baseUrl: standing.baseUrl } : {}) };
}

/**
 * A short name means the newest of its family at the current provider, else at another one with
 * credentials. Nowhere: an error that names it, since no provider knows it as a model.
 */
async function locationAlias(
  { wanted, standing }: { readonly wanted: TargetRequest; readonly standing: Standing | undefined },
  context: ResolveContext,
  signal: AbortSignal,
): Promise<TargetRequest | Extract<ModelSwitch, { kind: "failure" }>> {
  const alias = wanted.model;
  if (alias === undefined || !isModelAlias(alias)) return wanted;
  const name = wanted.provider ?? standing?.provider;
  const isOwnEndpoint = name !== undefined && isCustom(name, context);
  // A server of one's own may serve a model that is really called so.
  if (isOwnEndpoint) return wanted;
  const current = name === undefined ? undefined : context.registry.find(name);
  const here = current === undefined ? undefined : newestAt(alias, current, context);
  if (here !== undefined && current !== undefined) return { ...wanted, provider: current.id, model: here };
  if (wanted.provider === undefined) {
    for (const other of await usableProviders(context, signal)) {
      const model = newestAt(alias, other.profile, context);
      if (model !== undefined) return { ...wanted, provider: other.profile.id, model };
    }
  }
  return {
    kind: "failure",
    code: "model_not_found",
    message: `No provider that is set up offers a model for the short name ${JSON.stringify(alias)}.`,
    hint: "Name the model in full, or see the choices with: hermes model",
  };
}

function newestAt(alias: string, profile: ProviderProfile, context: ResolveContext): string | undefined {
  return newestOf(alias, offeredModels(profile, context));
}

function isCustom(name: string, context: ResolveContext): boolean {
  const named = readNamedEndpoints(context.settings.custom_providers, context.settings.providers, context.registry);
  if (findNamed(name, named.endpoints, context.registry) !== undefined) return true;
  return context.registry.find(name)?.isOwnEndpoint === true;
}

/** `provider:model`, `custom:name:model` or a model's name, as everywhere. */
export function readModelName(text: string, { settings, registry }: ResolveContext) {
  const named = readNamedEndpoints(settings.custom_providers, settings.providers, registry).endpoints;
  return parseModelArgument(text, { registry, named });
}

/** A model that the endpoint's own list does not have, with what was probably meant; undefined when nothing speaks against it. */
export function unlistedModel(
  { provider, model, baseUrl }: Pick<Target, "provider" | "model" | "baseUrl">,
  context: ResolveContext,
): { readonly message: string; readonly hint: string } | undefined {
  if (!isCustom(provider, context)) return undefined;
  const names = [baseUrl, `${baseUrl}/v1`, baseUrl.replace(/\/v1$/, "")]
    .map((url) => context.models?.peek(listKey(url)) ?? [])
    .find((list) => list.length > 1)
    ?.map(({ id }) => id);
  if (names === undefined || names.includes(model)) return undefined;
  const meant = nearest(model, names);
  return {
    message: `${provider} has no model "${model}".${meant === undefined ? "" : ` Did you mean ${meant}?`}`,
    hint: `It has ${names.slice(0, 5).join(", ")}${names.length > 5 ? ` and ${names.length - 5} more` : ""}.`,
  };
}
