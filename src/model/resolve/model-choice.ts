import { nonEmpty } from "#foundation/text/text";
import { isModelAlias, newestOf } from "../providers/models/model-alias.ts";
import { normalizeModelName, vendorOf } from "../providers/models/model-name.ts";
import type { ProviderProfile } from "../providers/provider.ts";
import type { ResolveContext, TargetRequest } from "./context.ts";
import { modelSettings } from "./settings.ts";

export interface ModelChoice {
  /** As it is sent. */
  readonly model: string;
  /** It is the model the settings name, so `model.context_length` and `model.max_tokens` are about it. */
  readonly isConfigured: boolean;
  readonly notice?: string;
}

/** Argument, saved choice, environment (one-shot runs only), the provider's first model; undefined when there is none. */
export function chooseModel(
  profile: ProviderProfile,
  wanted: TargetRequest,
  context: ResolveContext,
): ModelChoice | undefined {
  const saved = nonEmpty(modelSettings(context.settings).default);
  const asked = nonEmpty(wanted.model);
  if (asked !== undefined) return finish(asked, profile, { context, isConfigured: asked === saved });
  if (saved !== undefined && fits(saved, profile, context)) {
    return finish(saved, profile, { context, isConfigured: true });
  }
  const exported = wanted.isOneShot === true ? nonEmpty(context.env.HERMES_INFERENCE_MODEL) : undefined;
  const usual =
    exported ?? nonEmpty(context.settings.providers?.[profile.id]?.default_model) ?? profile.curatedModels[0];
  if (usual === undefined) return undefined;
  const choice = finish(usual, profile, { context, isConfigured: false });
  if (saved === undefined) return choice;
  const notice = `${profile.label} does not serve ${saved}; using ${choice.model} instead.`;
  return { ...choice, notice };
}

/**
 * Whether the saved model makes sense at a provider other than the one it was saved with: aggregators and
 * own endpoints serve anything; a maker serves its own models.
 */
function fits(saved: string, profile: ProviderProfile, context: ResolveContext): boolean {
  const recorded = nonEmpty(modelSettings(context.settings).provider);
  const owner = recorded === undefined ? undefined : context.registry.find(recorded);
  if (owner === undefined || owner.id === profile.id || profile.isAggregator === true) return true;
  if (profile.curatedModels.length === 0) return true;
  const vendor = vendorOf(saved);
  const vendors = profile.curatedModels.map(vendorOf);
  return vendor !== undefined && vendors.includes(vendor);
}

function finish(
  name: string,
  profile: ProviderProfile,
  facts: { readonly context: ResolveContext; readonly isConfigured: boolean },
): ModelChoice {
  const offered = offeredModels(profile, facts.context);
  const meant = isModelAlias(name) && !offered.includes(name) ? newestOf(name, offered) : undefined;
  return { model: meant ?? normalizeModelName(name, profile), isConfigured: facts.isConfigured };
}

/** Curated models first, then those the provider listed when it was last asked, or the public catalogue for it. */
export function offeredModels(
  profile: ProviderProfile,
  context: Pick<ResolveContext, "models" | "catalogued">,
): readonly string[] {
  const listed = context.models?.peek(profile.id).map((model) => model.id) ?? [];
  const catalogued = profile.models.mergeCatalogue === true ? (context.catalogued?.(profile.id) ?? []) : [];
  return [...new Set([...profile.curatedModels, ...listed, ...catalogued])];
}

/** A short name of the person's own stands for model, provider and address together. */
export function expandUserAlias(wanted: TargetRequest, context: ResolveContext): TargetRequest {
  const name = nonEmpty(wanted.model);
  const alias = name === undefined ? undefined : context.settings.model_aliases?.[name];
  const model = nonEmpty(alias?.model);
  if (alias === undefined || model === undefined) return wanted;
  const provider = nonEmpty(alias.provider);
  const baseUrl = nonEmpty(alias.base_url);
  return {
    ...wanted,
    model,
    ...(provider === undefined || wanted.provider !== undefined ? {} : { provider }),
    ...(baseUrl === undefined || wanted.baseUrl !== undefined ? {} : { baseUrl }),
  };
}
