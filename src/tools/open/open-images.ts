import { Secret } from "#foundation/secrets/secret";
import type { BuiltinDeps } from "../builtin/builtin-deps.ts";
import type { ImageProvider } from "../contract/image-provider.ts";
import { fal } from "../media/fal.ts";
import type { SafeFetch } from "../network/safe-fetch.ts";
import type { ManagedGateway } from "../web/managed-gateway.ts";
import type { ToolsBase } from "./tools-base.ts";

export interface ImagesOptions {
  readonly fetch: SafeFetch;
  readonly gateway: ManagedGateway;
}

const falOrigin = "https://queue.fal.run";

/** `image_generate`: the built-in service where there is a key for it, and what plugins bring. */
export function imageDeps(base: ToolsBase, parts: ImagesOptions): NonNullable<BuiltinDeps["images"]> {
  const { machine, config } = base;
  return {
    provider: config.image_gen.provider,
    async providers(signal) {
      const builtin = await openFal(base, parts.gateway, signal);
      return [...(builtin === undefined ? [] : [builtin]), ...base.extensions.imageProviders()];
    },
    fetch: parts.fetch,
    folder: machine.home.imageCache,
  };
}

async function openFal(
  { machine, config, env }: ToolsBase,
  gateway: ManagedGateway,
  signal: AbortSignal,
): Promise<ImageProvider | undefined> {
  const { model, use_gateway } = config.image_gen;
  const key = env["FAL_KEY"]?.trim() ?? "";
  const own = key === "" ? undefined : ({ origin: originOf(env), token: new Secret(key), scheme: "Key" } as const);
  const shared = use_gateway || own === undefined ? await gateway("fal-queue", signal) : undefined;
  const access = shared === undefined ? own : ({ ...shared, scheme: "Bearer" } as const);
  return access === undefined ? undefined : fal({ access, model, clock: machine.clock });
}

function originOf(env: NodeJS.ProcessEnv): string {
  const own = env["FAL_BASE_URL"]?.trim() ?? "";
  return own === "" ? falOrigin : own;
}
