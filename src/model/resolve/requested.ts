import { nonEmpty } from "#foundation/text/text";
import { findNamed, type NamedEndpoint } from "../providers/custom.ts";
import type { ProviderProfile } from "../providers/provider.ts";
import type { ResolveContext, TargetRequest } from "./context.ts";
import { modelSettings } from "./settings.ts";

export interface Requested {
  /** As written; `auto` when nobody said anything. */
  readonly name: string;
  /** `explicit`, `config`, `env:HERMES_INFERENCE_PROVIDER` or `default`. */
  readonly origin: string;
}

/** Argument, then the saved choice, then the environment: an old exported variable never replaces what was saved. */
export function requestedProvider(wanted: TargetRequest, context: ResolveContext): Requested {
  const asked = nonEmpty(wanted.provider);
  if (asked !== undefined && !isAuto(asked)) return { name: asked, origin: "explicit" };
  // An address without a name is the person's own endpoint.
  if (asked === undefined && nonEmpty(wanted.baseUrl) !== undefined) return { name: "auto", origin: "explicit" };
  const saved = nonEmpty(modelSettings(context.settings).provider);
  if (asked === undefined && saved !== undefined && !isAuto(saved)) return { name: saved, origin: "config" };
  const exported = nonEmpty(context.env.HERMES_INFERENCE_PROVIDER);
  if (asked === undefined && exported !== undefined && !isAuto(exported)) {
    return { name: exported, origin: "env:HERMES_INFERENCE_PROVIDER" };
  }
  return { name: "auto", origin: "default" };
}

function isAuto(name: string): boolean {
  return name.toLowerCase() === "auto";
}

export type ProviderChoice =
  | { readonly kind: "profile"; readonly profile: ProviderProfile }
  | { readonly kind: "named"; readonly endpoint: NamedEndpoint };

/** A name to the provider it means: a named endpoint, else an id or alias. */
export function chooseProvider(
  name: string,
  named: readonly NamedEndpoint[],
  context: ResolveContext,
): ProviderChoice | undefined {
  const endpoint = findNamed(name, named, context.registry);
  if (endpoint !== undefined) return { kind: "named", endpoint };
  const profile = context.registry.find(name);
  return profile === undefined ? undefined : { kind: "profile", profile };
}
