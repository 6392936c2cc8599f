import path from "node:path";
import { describe } from "#foundation/errors";
import { ensureDir, writeFileAtomic } from "#foundation/files/files";
import { newId } from "#foundation/text/ids";
import type { ToolContext } from "../contract/context.ts";
import { defineTool } from "../contract/define-tool.ts";
import type { GeneratedImage, ImageProvider, ImageRequest } from "../contract/image-provider.ts";
import { result, ToolFailure, type ToolResult } from "../contract/result.ts";
import type { Tool } from "../contract/tool.ts";
import type { SafeFetch } from "../network/safe-fetch.ts";
import type { BuiltinTools } from "./builtin-deps.ts";

export interface ImageGenerateDeps {
  /** `image_gen.provider`; undefined means `fal`. */
  readonly provider?: string;
  /** All providers that are ready, plugins included. */
  providers(signal: AbortSignal): Promise<readonly ImageProvider[]>;
  readonly fetch: SafeFetch;
  /** `cache/images` */
  readonly folder: string;
}

const shapes = ["landscape", "square", "portrait"] as const;
const maxImageBytes = 50_000_000;

/** `image_generate`: an image from words. */
export function createImageGenerateTool(deps: ImageGenerateDeps): Tool {
  return defineTool({
    name: "image_generate",
    toolset: "image_gen",
    emoji: "🎨",
    description:
      "Create an image from a description. Gives its address and a file; show it with Markdown: ![what it is](address).",
    parameters: {
      type: "object",
      properties: {
        prompt: { type: "string", description: "What the image shows, in detail" },
        aspect_ratio: { type: "string", enum: shapes, description: "Default landscape" },
      },
      required: ["prompt"],
    },
    // A shape nobody knows is no reason to make no image.
    adapt: ({ aspect_ratio, ...args }) => (isShape(aspect_ratio) ? { ...args, aspect_ratio } : args),
    isIdempotent: false,
    requiresEnv: ["FAL_KEY"],
    check: async (signal) =>
      (await deps.providers(signal)).length > 0 ? true : { reason: "no image service is configured" },
    effects: "elsewhere",
    run: ({ prompt, aspect_ratio: aspectRatio = "landscape" }, context) =>
      run(deps, { prompt: prompt.trim(), aspectRatio }, context),
  });
}

async function run(deps: ImageGenerateDeps, request: ImageRequest, context: ToolContext): Promise<ToolResult> {
  if (request.prompt === "")
    throw new ToolFailure("prompt must be a non-empty string", { success: false, image: null });
  const wanted = deps.provider ?? "fal";
  const provider = (await deps.providers(context.signal)).find((one) => one.name === wanted);
  if (provider === undefined)
    return unmade(`The image service "${wanted}" is not there or has no key.`, "provider_not_registered");
  const image = await generate(provider, request, context.signal);
  switch (image.kind) {
    case "failed":
      return unmade(image.error, image.type);
    case "file":
      return result({ success: true, image: image.path, file_path: image.path });
    case "image":
      return keep(deps, image.url, context);
  }
}

async function generate(provider: ImageProvider, request: ImageRequest, signal: AbortSignal): Promise<GeneratedImage> {
  try {
    const image: unknown = await provider.generate(request, signal);
    return isImage(image)
      ? image
      : { kind: "failed", error: `${provider.name} gave no image`, type: "provider_contract" };
  } catch (error) {
    if (signal.aborted) throw error;
    return {
      kind: "failed",
      error: describe(error),
      type: "provider_exception",
    };
  }
}

function isShape(value: unknown): boolean {
  return shapes.some((shape) => shape === value);
}

/** Plugins are not type-checked by us. */
function isImage(value: unknown): value is GeneratedImage {
  if (typeof value !== "object" || value === null || !("kind" in value)) return false;
  if (value.kind === "image") return "url" in value && typeof value.url === "string";
  if (value.kind === "file") return "path" in value && typeof value.path === "string";
  return value.kind === "failed" && "error" in value && typeof value.error === "string";
}

/** Addresses of generated images expire, so the image is kept as a file too. */
async function keep(deps: ImageGenerateDeps, url: string, { signal }: ToolContext): Promise<ToolResult> {
  const bytes = await bytesOf(deps, url, signal);
  if (typeof bytes === "string")
    return url.startsWith("data:")
      ? unmade(bytes, "provider_contract")
      : result({ success: true, image: url, note: `Not kept as a file: ${bytes}` });
  const { imageKind } = await import("../media/image-kind.ts");
  const kind = imageKind(bytes);
  if (kind === undefined) return unmade("what the service returned is not an image", "provider_contract");
  const extension = kind === "image/jpeg" ? "jpg" : kind === "image/svg+xml" ? "svg" : kind.slice("image/".length);
  await ensureDir(deps.folder, 0o700);
  const file = path.join(deps.folder, `${newId("image")}.${extension}`);
  await writeFileAtomic(file, bytes, { mode: 0o600 });
  return result({ success: true, image: url.startsWith("data:") ? file : url, file_path: file });
}

/** The bytes, or why there are none. */
async function bytesOf(deps: ImageGenerateDeps, url: string, signal: AbortSignal): Promise<Uint8Array | string> {
  const inline = /^data:image\/[\w.+-]+;base64,([A-Za-z0-9+/=]+)$/.exec(url)?.[1];
  if (inline !== undefined) return Buffer.from(inline, "base64");
  const page = await deps.fetch(url, { maxBytes: maxImageBytes, timeoutMs: 60_000, signal });
  if (page.kind !== "page") return page.reason;
  return page.status === 200 ? page.body : `HTTP ${page.status}`;
}

function unmade(error: string, type: string): ToolResult {
  return result({ success: false, image: null, error, error_type: type }, { isError: true });
}

/** Found by the list that is generated from this folder. */
export const builtin: BuiltinTools = ({ images }) => (images === undefined ? [] : [createImageGenerateTool(images)]);
