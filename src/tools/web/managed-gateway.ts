import { Secret } from "#foundation/secrets/secret";
import type { Environment } from "./service-call.ts";

type GatewayVendor = "firecrawl" | "browser-use" | "fal-queue" | "openai-audio" | "modal";

/** Access to one service through the subscription. */
interface GatewayAccess {
  readonly origin: string;
  readonly token: Secret;
}

/** Undefined means not ready, for whatever reason. */
export type ManagedGateway = (vendor: GatewayVendor, signal: AbortSignal) => Promise<GatewayAccess | undefined>;

export interface GatewayDeps {
  readonly env: Environment;
  /** The login's token, fresh enough to be used, and whether the subscription is a paid one. */
  readonly login?:
    | ((signal: AbortSignal) => Promise<{ readonly token: Secret; readonly isPaid: boolean } | undefined>)
    | undefined;
}

/** Services paid for with the subscription instead of own keys. Never throws, except when cancelled. */
export function createManagedGateway({ env, login }: GatewayDeps): ManagedGateway {
  return async (vendor, signal) => {
    const origin = originOf(vendor, env);
    if (origin === undefined) return undefined;
    const own = env["TOOL_GATEWAY_USER_TOKEN"];
    if (own !== undefined && own !== "") return { origin, token: new Secret(own) };
    try {
      const account = await login?.(signal);
      return account?.isPaid === true ? { origin, token: account.token } : undefined;
    } catch (error) {
      if (signal.aborted) throw error;
      return undefined;
    }
  };
}

function originOf(vendor: GatewayVendor, env: Environment): string | undefined {
  const named = env[`${vendor.toUpperCase().replaceAll("-", "_")}_GATEWAY_URL`];
  const scheme = env["TOOL_GATEWAY_SCHEME"] ?? "https";
  const domain = env["TOOL_GATEWAY_DOMAIN"] ?? "nousresearch.com";
  try {
    const url = new URL(named !== undefined && named !== "" ? named : `${scheme}://${vendor}-gateway.${domain}`);
    return /^https?:$/.test(url.protocol) ? url.href.replace(/\/$/, "") : undefined;
  } catch {
    return undefined;
  }
}
