import type { Settings } from "./config.ts";
import { isPlaceholder } from "./structure.ts";

/** Leaves out entries that cannot work, so that no reader has to check them again. Each has been warned about. */
export function keepUsable(settings: Settings): Settings {
  const { fallback_model: single, ...rest } = settings;
  return {
    ...rest,
    ...(single !== undefined && isTarget(single) ? { fallback_model: single } : {}),
    fallback_providers: settings.fallback_providers.filter(isTarget),
    custom_providers: settings.custom_providers.filter(
      (entry) => entry.name.trim() !== "" && isEndpoint(entry.base_url),
    ),
    providers: Object.fromEntries(
      Object.entries(settings.providers).filter(([, entry]) => entry.base_url === "" || isEndpoint(entry.base_url)),
    ),
    platforms: Object.fromEntries(
      Object.entries(settings.platforms).map(([id, entry]) => [
        id,
        !entry.token.isEmpty && isPlaceholder(entry.token.reveal()) ? { ...entry, enabled: false } : entry,
      ]),
    ),
  };
}

const isTarget = (entry: { readonly provider: string; readonly model: string }): boolean =>
  entry.provider.trim() !== "" && entry.model.trim() !== "";

const isEndpoint = (value: string): boolean =>
  URL.canParse(value) && /^(?:https?|acp|acp\+tcp|cloudcode-pa):$/.test(new URL(value).protocol);
