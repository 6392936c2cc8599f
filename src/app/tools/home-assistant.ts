import { Secret } from "#foundation/secrets/secret";
import type { ApprovalGate, BuiltinDeps } from "#tools";
import type { ToolboxBase } from "./toolbox-options.ts";

/** The tools of a smart home; they say what is missing while there is no token. */
export function homeDeps({ env, config }: ToolboxBase, gate: ApprovalGate): NonNullable<BuiltinDeps["home"]> {
  return {
    gate,
    access: () => {
      const token = env["HASS_TOKEN"]?.trim() ?? "";
      return token === "" ? undefined : { url: config.homeassistant.url.trim(), token: new Secret(token) };
    },
  };
}
