import { createHash } from "node:crypto";
import { type Content, type ContentPart, type ImagePart, imagesOf, type Message, textPart } from "#conversation";
import type { Logger } from "#foundation/files/logger";
import { quietly } from "#foundation/files/quietly";
import type { Target } from "#model";

/** What can be done to an image on its way to a model; each may be absent. */
export interface ImageHelp {
  /** Words also for models that take images. */
  readonly isAlwaysDescribed?: boolean;
  /** Words for an image, for models that take none; undefined when nobody could look at it. */
  describe?(url: string, signal: AbortSignal): Promise<string | undefined>;
  /** A smaller version, or undefined when that cannot be done here. */
  shrink?(url: string, signal: AbortSignal): Promise<string | undefined>;
}

/** Providers refuse images above 5 MB; in base64 that is a third more. */
const longestDataUrl = 7_000_000;
const nobodyLooked = "nobody could describe it";

/**
 * How the images of a session look in requests: as they are, smaller, or in words for a model that takes
 * none. Each is worked on once and then stays the same, so that requests keep their beginning.
 */
export class ImageViews {
  readonly #help: ImageHelp;
  readonly #logger: Logger;
  readonly #done = new Map<string, string>();
  readonly #views = { words: new WeakMap<Message, Message>(), small: new WeakMap<Message, Message>() };

  constructor(help: ImageHelp, logger: Logger) {
    this.#help = help;
    this.#logger = logger;
  }

  async view(messages: readonly Message[], target: Target, signal: AbortSignal): Promise<readonly Message[]> {
    const mode = this.#help.isAlwaysDescribed || target.quirks.supportsImages === false ? "words" : "small";
    if ((mode === "words" ? this.#help.describe : this.#help.shrink) === undefined) return messages;
    const viewed: Message[] = [];
    for (const message of messages)
      viewed.push(hasImages(message) ? await this.#viewOf(message, mode, signal) : message);
    return viewed;
  }

  async #viewOf(message: Message, mode: "words" | "small", signal: AbortSignal): Promise<Message> {
    const known = this.#views[mode].get(message);
    if (known !== undefined) return known;
    if (message.role === "assistant" || typeof message.content === "string") return message;
    const parts: ContentPart[] = [];
    for (const part of message.content)
      parts.push(part.type === "image_url" ? await this.#partOf(part, mode, signal) : part);
    const view = { ...message, content: parts as Content };
    this.#views[mode].set(message, view);
    return view;
  }

  async #partOf(part: ImagePart, mode: "words" | "small", signal: AbortSignal): Promise<ContentPart> {
    const { url } = part.image_url;
    if (mode === "words") return textPart(await this.#words(url, signal));
    if (!url.startsWith("data:") || url.length <= longestDataUrl) return part;
    const smaller = await this.#once(
      `small ${digest(url)}`,
      async () => (await this.#help.shrink?.(url, signal)) ?? url,
      signal,
    );
    return { ...part, image_url: { ...part.image_url, url: smaller ?? url } };
  }

  async #words(url: string, signal: AbortSignal): Promise<string> {
    const name = url.startsWith("data:") ? `attached image ${digest(url).slice(0, 8)}` : url;
    const words = await this.#once(
      `words ${digest(url)}`,
      async () => (await this.#help.describe?.(url, signal)) ?? "",
      signal,
    );
    const description = words === undefined || words.trim() === "" ? nobodyLooked : words.trim();
    return `[Image in words, since this model takes no images (${name}): ${description}]`;
  }

  /** Also a failure is kept: another answer later would change what was sent before. */
  async #once(key: string, make: () => Promise<string>, signal: AbortSignal): Promise<string | undefined> {
    const known = this.#done.get(key);
    if (known !== undefined) return known === "" ? undefined : known;
    const made = await quietly("looking at an image", make, { logger: this.#logger, signal });
    this.#done.set(key, made ?? "");
    return made;
  }
}

export function hasImages(message: Message): boolean {
  return Array.isArray(message.content) && imagesOf(message.content).length > 0;
}

function digest(url: string): string {
  return createHash("sha256").update(url).digest("hex");
}
