import type { ProviderProfile } from "../providers/provider.ts";
import type { ProviderRegistry } from "../providers/registry.ts";
import type { ResolutionFailure } from "./context.ts";

/** A failure before the places that were looked at are added to it. */
export type Refusal = Omit<ResolutionFailure, "explanation">;

export function unknownProvider(name: string, registry: ProviderRegistry, problems: readonly string[]): Refusal {
  const meant = registry.suggest(name);
  const guess = meant === undefined ? "" : ` Did you mean ${meant}?`;
  const also = problems.length === 0 ? "" : ` The settings have problems too: ${problems.join(" ")}`;
  return {
    kind: "failure",
    code: "invalid_provider",
    message: `There is no provider called ${JSON.stringify(name)}.${guess}${also}`,
    hint: "See the choices with: hermes model",
    provider: name,
  };
}

/** Nothing is set up; of `provider:model` it is said, too, when there is no such provider. */
export function noProvider(model: string | undefined, registry: ProviderRegistry): Refusal {
  const named = /^([a-z][\w-]*):\S/i.exec(model ?? "")?.[1];
  const meant = named === undefined ? undefined : registry.suggest(named);
  const why =
    named === undefined || registry.find(named) !== undefined
      ? ": there is no key in the environment and no login."
      : `, and none is called ${JSON.stringify(named)}.${meant === undefined ? "" : ` Did you mean ${meant}?`}`;
  return {
    kind: "failure",
    code: "no_provider_configured",
    message: `No model provider is set up${why}`,
    hint: "Choose one with: hermes model",
  };
}

export function missingKey(profile: ProviderProfile): Refusal {
  const variables = profile.keyEnv.join(" or ");
  const how = variables === "" ? "" : `Set ${variables}, or run: `;
  return {
    kind: "failure",
    code: "missing_api_key",
    message: `There is no usable key for ${profile.label}.`,
    hint: `${how === "" ? "Run: " : how}hermes auth add ${profile.id}`,
    provider: profile.id,
  };
}

export function missingUrl(profile: ProviderProfile): Refusal {
  const variables = profile.baseUrlEnv.join(" or ");
  return {
    kind: "failure",
    code: "missing_base_url",
    message: `${profile.label} has no default address, and none is set.`,
    hint:
      variables === "" ? "Run: hermes config set model.base_url <address>" : `Set ${variables}, or run: hermes model`,
    provider: profile.id,
  };
}

export function badUrl(profile: ProviderProfile, where: string): Refusal {
  return {
    kind: "failure",
    code: "invalid_base_url",
    message: `The address for ${profile.label} from ${where} is not an absolute http or https address.`,
    hint: "Write it with the scheme, such as http://localhost:8000/v1",
    provider: profile.id,
  };
}

export function missingModel(label: string, provider: string, offered: readonly string[]): Refusal {
  const some = offered.slice(0, 8).join(", ");
  return {
    kind: "failure",
    code: "model_not_found",
    message: `No model is named for ${label}${some === "" ? "" : `; it has ${some}`}.`,
    hint: "Name one with: hermes model, or in the chat with: /model <name>",
    provider,
  };
}
