import { nonEmpty } from "#foundation/text/text";
import type { ProviderProfile } from "../providers/provider.ts";
import type { ProtocolName } from "../target.ts";
import type { Parts } from "./parts.ts";
import { toProtocol } from "./protocol.ts";
import { modelSettings } from "./settings.ts";

/** A wire named in the settings belongs to the provider named beside it. */
export function explicitProtocol(profile: ProviderProfile, parts: Parts): ProtocolName | undefined {
  const { wish, context } = parts;
  if (wish.protocol !== undefined) return wish.protocol;
  const model = modelSettings(context.settings);
  const recorded = nonEmpty(model.provider);
  const isOwn =
    recorded === undefined || recorded.toLowerCase() === "auto" || context.registry.find(recorded)?.id === profile.id;
  return (
    (isOwn ? toProtocol(model.api_mode) : undefined) ?? toProtocol(context.settings.providers?.[profile.id]?.api_mode)
  );
}
