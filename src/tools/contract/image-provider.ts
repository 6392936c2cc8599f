export type GeneratedImage =
  /** An address, or a `data:` address. */
  | { readonly kind: "image"; readonly url: string }
  /** A file the provider wrote itself. */
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "failed"; readonly error: string; readonly type: string };

export interface ImageRequest {
  readonly prompt: string;
  readonly aspectRatio: "landscape" | "square" | "portrait";
}

/** Makes images. Plugins bring their own; a name may be taken once. */
export interface ImageProvider {
  readonly name: string;
  generate(request: ImageRequest, signal: AbortSignal): Promise<GeneratedImage>;
}
