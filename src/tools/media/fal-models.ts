export type AspectRatio = "landscape" | "square" | "portrait";

/** How one model wants to be asked. */
export interface FalModel {
  readonly sizes: Readonly<Record<AspectRatio, Readonly<Record<string, string>>>>;
  readonly extras: Readonly<Record<string, unknown>>;
  /** Enlarged to twice the size afterwards. */
  readonly isUpscaled?: boolean;
}

const sized = (key: string, [landscape, square, portrait]: readonly [string, string, string]): FalModel["sizes"] => ({
  landscape: { [key]: landscape },
  square: { [key]: square },
  portrait: { [key]: portrait },
});
const wide = sized("image_size", ["landscape_16_9", "square_hd", "portrait_16_9"]);
const classic = sized("image_size", ["landscape_4_3", "square_hd", "portrait_4_3"]);

export const defaultFalModel = "fal-ai/flux-2/klein/9b";

/** Only what is listed here is ever sent, since a service refuses keys it does not know. */
export const falModels: Readonly<Record<string, FalModel>> = {
  [defaultFalModel]: { sizes: wide, extras: { num_inference_steps: 4, output_format: "png" } },
  "fal-ai/flux-2-pro": {
    sizes: wide,
    extras: { num_inference_steps: 50, guidance_scale: 4.5, output_format: "png" },
    isUpscaled: true,
  },
  "fal-ai/z-image/turbo": {
    sizes: wide,
    extras: { num_inference_steps: 8, enable_prompt_expansion: false, output_format: "png" },
  },
  "fal-ai/nano-banana-pro": {
    sizes: sized("aspect_ratio", ["16:9", "1:1", "9:16"]),
    extras: { resolution: "1K", output_format: "png" },
  },
  "fal-ai/gpt-image-1.5": {
    sizes: sized("image_size", ["1536x1024", "1024x1024", "1024x1536"]),
    extras: { quality: "medium", output_format: "png" },
  },
  "fal-ai/gpt-image-2": { sizes: classic, extras: { quality: "medium", output_format: "png" } },
  "fal-ai/ideogram/v3": { sizes: wide, extras: { rendering_speed: "BALANCED", expand_prompt: true } },
  "fal-ai/recraft/v4/pro/text-to-image": { sizes: wide, extras: {} },
  "fal-ai/qwen-image": { sizes: wide, extras: { num_inference_steps: 30, guidance_scale: 2.5, output_format: "png" } },
};
