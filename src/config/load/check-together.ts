import type { Config } from "../config.ts";
import type { PlatformId } from "../platform-id.ts";
import { platformSettings } from "../platform-settings.ts";
import type { ConfigWarning } from "../warning.ts";
import { isPlaceholder } from "./structure.ts";
import type { Environment } from "./variables.ts";

/** Mistakes that show only once all places are joined. */
export function checkTogether(config: Config, environment: Environment): readonly ConfigWarning[] {
  return [...checkTokens(config), ...checkEndpointVariable(config, environment)];
}

/** Platforms nobody can log in to without a token. */
const needToken: readonly PlatformId[] = [
  "telegram",
  "discord",
  "slack",
  "matrix",
  "mattermost",
  "weixin",
  "homeassistant",
];

function checkTokens(config: Config): ConfigWarning[] {
  return needToken.flatMap((id): ConfigWarning[] => {
    const { enabled, token } = platformSettings(config, id);
    const hasPassword = id === "matrix" && !config.matrix.password.isEmpty;
    if (enabled !== true || token !== undefined || hasPassword) return [];
    return [
      {
        kind: "structure",
        severity: "warning",
        message: `${id} is switched on but has no token.`,
        hint: "Set one up with: hermes gateway setup",
        key: `platforms.${id}.token`,
      },
    ];
  });
}

/** An exported address that a chosen provider does not use is a usual source of confusion. */
function checkEndpointVariable(config: Config, environment: Environment): ConfigWarning[] {
  const { provider } = config.model;
  const isOpen = ["", "auto", "custom"].includes(provider) || provider.startsWith("custom:");
  if (isOpen || (environment.variables.OPENAI_BASE_URL ?? "") === "") return [];
  return [
    {
      kind: "variable",
      severity: "warning",
      message: `The variable OPENAI_BASE_URL is set, but the provider is ${provider}; the variable has no effect.`,
      hint: "Unset it, or choose the provider custom.",
      key: "OPENAI_BASE_URL",
    },
  ];
}

/** Leaves out entries that cannot work, so that no reader has to check them again. Each has been warned about. */
export function keepUsable(settings: Config): Config {
  const { fallback_model: single } = settings;
  return {
    ...settings,
    fallback_model: single !== undefined && isTarget(single) ? single : undefined,
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
