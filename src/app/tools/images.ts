import { Secret } from "#foundation/secrets/secret";
import { isRecord } from "#foundation/text/json";
import type { Contributions, ImageGenProvider } from "#plugins";
import {
  type BuiltinDeps,
  fal,
  type GeneratedImage,
  type ImageProvider,
  type ManagedGateway,
  type SafeFetch,
} from "#tools";
import type { ToolboxBase } from "./toolbox-options.ts";

export interface ImageParts {
  readonly fetch: SafeFetch;
  readonly gateway: ManagedGateway;
  readonly contributions: Pick<Contributions, "imageGenProviders">;
}

const falOrigin = "https://queue.fal.run";

/** `image_generate`: the built-in service where there is a key for it, and what plugins bring. */
export function imageDeps(base: ToolboxBase, parts: ImageParts): NonNullable<BuiltinDeps["images"]> {
  const { options, config } = base;
  return {
    provider: config.image_gen.provider,
    async providers(signal) {
      const builtin = await openFal(base, parts.gateway, signal);
      const plugins = [...parts.contributions.imageGenProviders.values()].filter((one) => one.isAvailable());
      return [...(builtin === undefined ? [] : [builtin]), ...plugins.map(ofPlugin)];
    },
    fetch: parts.fetch,
    folder: options.home.imageCache,
  };
}

async function openFal(
  { options, config, env }: ToolboxBase,
  gateway: ManagedGateway,
  signal: AbortSignal,
): Promise<ImageProvider | undefined> {
  const { model, use_gateway } = config.image_gen;
  const key = env["FAL_KEY"]?.trim() ?? "";
  const own = key === "" ? undefined : ({ origin: originOf(env), token: new Secret(key), scheme: "Key" } as const);
  const shared = use_gateway || own === undefined ? await gateway("fal-queue", signal) : undefined;
  const access = shared === undefined ? own : ({ ...shared, scheme: "Bearer" } as const);
  return access === undefined ? undefined : fal({ access, model, clock: options.clock });
}

function originOf(env: NodeJS.ProcessEnv): string {
  const own = env["FAL_BASE_URL"]?.trim() ?? "";
  return own === "" ? falOrigin : own;
}

/** A plugin's maker of images as one of ours; what it answers is checked by the tool. */
export function ofPlugin(provider: ImageGenProvider): ImageProvider {
  return {
    name: provider.name,
    generate: async (wish) => toImage(await provider.generate({ prompt: wish.prompt, aspectRatio: wish.aspectRatio })),
  };
}

/** Plugins answer with an address, a path, or the map that the tool itself would give. */
export function toImage(answer: unknown): GeneratedImage {
  if (typeof answer === "string" && answer !== "") return byPlace(answer);
  if (!isRecord(answer)) return noImage("the plugin gave no image");
  if (answer["success"] === false) {
    const { error, error_type } = answer;
    const type = typeof error_type === "string" ? error_type : "provider_exception";
    return noImage(typeof error === "string" ? error : "the plugin could not make the image", type);
  }
  const { file_path, path, image, url } = answer;
  const place = [file_path, path, image, url].find((one) => typeof one === "string" && one !== "");
  return typeof place === "string" ? byPlace(place) : noImage("the plugin gave no image");
}

function byPlace(place: string): GeneratedImage {
  return /^(?:https?|data):/i.test(place) ? { kind: "image", url: place } : { kind: "file", path: place };
}

function noImage(error: string, type = "provider_contract"): GeneratedImage {
  return { kind: "failed", error, type };
}
