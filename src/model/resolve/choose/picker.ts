import { nonEmpty } from "#foundation/text/text";
import { readNamedEndpoints } from "../../providers/custom.ts";
import type { ProviderProfile } from "../../providers/provider.ts";
import { customEndpoint } from "../../providers/records/clouds.ts";
import type { ResolveContext } from "../context.ts";
import { demoProvider } from "../demo.ts";
import { offeredModels } from "../model-choice.ts";
import { modelSettings } from "../settings.ts";
import { usableProviders } from "./usable-providers.ts";

export interface PickerEntry {
  /** What to pass as the provider. */
  readonly provider: string;
  readonly label: string;
  readonly models: readonly string[];
  /** Where its credential comes from, or the address of an own endpoint. */
  readonly source: string;
  readonly isOwnEndpoint: boolean;
}

export interface PickerOptions {
  /** Recommended models by provider, from the remote list; merged over the built-in ones. */
  readonly recommended?: Readonly<Record<string, readonly string[]>>;
}

/** What can be chosen now: providers with credentials, and the person's own endpoints. */
export async function listChoices(
  context: ResolveContext,
  options: PickerOptions,
  signal: AbortSignal,
): Promise<readonly PickerEntry[]> {
  const usable = await usableProviders(context, signal);
  const builtin = usable.map(({ profile, source, models }) => ({
    provider: profile.id,
    label: profile.label,
    models: models ?? modelsOf(profile, context, options),
    source,
    isOwnEndpoint: false,
  }));
  const { endpoints } = readNamedEndpoints(
    context.settings.custom_providers,
    context.settings.providers,
    context.registry,
  );
  const own = endpoints.map((endpoint) => ({
    provider: endpoint.slug,
    label: endpoint.name,
    models: [
      ...new Set([
        ...(endpoint.model === undefined ? [] : [endpoint.model]),
        ...Object.keys(endpoint.models),
        ...(context.models?.peek(endpoint.slug) ?? []).map((model) => model.id),
      ]),
    ],
    source: endpoint.baseUrl,
    isOwnEndpoint: true,
  }));
  return [...builtin, ...own, ...unnamed(context)];
}

/** The endpoint in `model.base_url`, which has no name of its own. */
function unnamed({ settings, registry, models }: ResolveContext): readonly PickerEntry[] {
  const { provider, base_url, default: model } = modelSettings(settings);
  const source = nonEmpty(base_url);
  if (source === undefined || registry.find(provider ?? "")?.isOwnEndpoint !== true) return [];
  const listed = (models?.peek(customEndpoint.id) ?? []).map(({ id }) => id);
  const names = [...new Set([...(model === undefined ? [] : [model]), ...listed])];
  return [{ provider: customEndpoint.id, label: customEndpoint.label, models: names, source, isOwnEndpoint: true }];
}

/** Recommended first, then what is offered anyway; each once. */
function modelsOf(profile: ProviderProfile, context: ResolveContext, options: PickerOptions): readonly string[] {
  return [...new Set([...(options.recommended?.[profile.id] ?? []), ...offeredModels(profile, context)])];
}

/** The saved choice as one set of changes, to be written in one step so that no reader sees half of it. */
export function choiceToSave(choice: {
  readonly provider: string;
  readonly model: string;
  readonly baseUrl?: string;
  readonly apiMode?: string;
  /** The provider that is saved now: its address and key stay when only the model changes. */
  readonly standing?: string | undefined;
}): Readonly<Record<string, string | undefined>> {
  if (choice.standing === choice.provider && nonEmpty(choice.baseUrl) === undefined)
    return { "model.provider": choice.provider, "model.default": choice.model };
  return {
    "model.provider": choice.provider,
    "model.default": choice.model,
    // What belonged to the provider before must not follow to the next.
    // The demo model has another address in every run.
    "model.base_url": choice.provider === demoProvider ? undefined : nonEmpty(choice.baseUrl),
    "model.api_mode": nonEmpty(choice.apiMode),
    "model.api_key": undefined,
  };
}
