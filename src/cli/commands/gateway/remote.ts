import type { LoadedConfig } from "#config";
import { UserError } from "#foundation/errors";
import { Secret } from "#foundation/secrets/secret";
import type { GatewayDeps } from "#gateway";

/** The Hermes that does the turns, where the settings name one (`gateway.proxy_url`). */
export function remoteHermes({ config, environment }: LoadedConfig): GatewayDeps["remote"] {
  const { proxy_url: url } = config.gateway;
  if (url === "") return undefined;
  if (!URL.canParse(url) || !["http:", "https:"].includes(new URL(url).protocol))
    throw new UserError("gateway.proxy_url is not an address of a Hermes API server.", {
      hint: "Set it to something like https://hermes.example:8642, or leave it empty to run turns here.",
    });
  const key = environment.variables["GATEWAY_PROXY_KEY"] ?? "";
  return { url, key: key === "" ? undefined : new Secret(key) };
}
