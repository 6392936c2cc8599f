import type { Config } from "./config.ts";
import { platformSettings } from "./platform-settings.ts";
import type { PlatformId } from "./sections/platforms.ts";
import type { Environment } from "./variables.ts";
import type { ConfigWarning } from "./warning.ts";

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
