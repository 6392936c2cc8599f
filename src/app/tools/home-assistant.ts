import { Secret } from "#foundation/secret";
import type { ApprovalGate, BuiltinDeps } from "#tools";
import type { ToolboxBase } from "./toolbox-options.ts";

const usualHouse = "http://homeassistant.local:8123";

/** The tools of a smart home; they say what is missing while there is no token. */
export function homeDeps({ env }: ToolboxBase, gate: ApprovalGate): NonNullable<BuiltinDeps["home"]> {
  return {
    gate,
    access: () => {
      const token = env["HASS_TOKEN"]?.trim() ?? "";
      const url = env["HASS_URL"]?.trim() ?? "";
      return token === "" ? undefined : { url: url === "" ? usualHouse : url, token: new Secret(token) };
    },
  };
}
