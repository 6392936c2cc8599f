import { type AssistantMessage, type Content, callsOf, type ImagePart, type Message } from "#conversation";
import type { ModelRequest } from "../../request.ts";
import type { Target } from "../../target.ts";
import { type CacheMark, type Markable, markForCache } from "../shared/cache-marks.ts";
import { CallIds } from "../shared/call-ids.ts";
import { argumentObject, prepareHistory, wireName } from "../shared/history.ts";
import { readImage } from "../shared/media.ts";
import { isThinkingBlock, ThinkingReplay } from "./thinking.ts";
import type { Block, ImageBlock, TextBlock, WireMessage } from "./wire.ts";

const maxIdLength = 64;
/** The service refuses messages without content. */
const silence = "(no words)";

export interface AnthropicMessages {
  readonly system: string | readonly TextBlock[] | undefined;
  readonly messages: readonly WireMessage[];
  readonly hasImages: boolean;
}

/** One message of ours on its way to blocks; a mark on it is moved onto its last block that can carry one. */
type Draft = Message & Markable & { readonly cache_control?: CacheMark };
type SystemDraft = { readonly role: "system"; readonly content: unknown; readonly cache_control?: CacheMark };

export function anthropicMessages(request: ModelRequest): AnthropicMessages {
  const { target, options } = request;
  const history = prepareHistory(request.messages);
  const system = request.system.trim();
  const all: readonly (Draft | SystemDraft)[] = [
    ...(system === "" ? [] : [{ role: "system" as const, content: system }]),
    ...history,
  ];
  const isMarked = (target.quirks.cacheMarks ?? "none") !== "none";
  const drafts = isMarked ? markForCache(all, { style: "block", ttl: options.cacheTtl }) : all;
  const first = drafts[0];
  const hasSystem = first?.role === "system";
  const builder = new MessageBuilder(target, new ThinkingReplay(history, target));
  for (const [index, draft] of drafts.slice(hasSystem ? 1 : 0).entries()) builder.add(draft as Draft, index);
  return {
    system: withEphemeral(hasSystem ? (first.content as string | readonly TextBlock[]) : undefined, request),
    messages: builder.messages,
    hasImages: builder.hasImages,
  };
}

/** Gathers blocks; what one role says in a row becomes one message, results first. */
class MessageBuilder {
  readonly #target: Target;
  readonly #thinking: ThinkingReplay;
  readonly #ids = new CallIds(maxIdLength);
  readonly #messages: { role: "user" | "assistant"; content: Block[] }[] = [];
  hasImages = false;

  constructor(target: Target, thinking: ThinkingReplay) {
    this.#target = target;
    this.#thinking = thinking;
  }

  get messages(): readonly WireMessage[] {
    return this.#messages;
  }

  add(draft: Draft, index: number): void {
    switch (draft.role) {
      case "user":
        this.#push("user", withMark(this.#contentBlocks(draft.content), draft.cache_control));
        return;
      case "assistant":
        this.#push("assistant", withMark(this.#assistantBlocks(draft, index), draft.cache_control));
        return;
      case "tool":
        this.#push("user", [
          {
            type: "tool_result",
            tool_use_id: this.#ids.of(draft.tool_call_id),
            content: typeof draft.content === "string" ? draft.content : this.#contentBlocks(draft.content),
            ...(draft.cache_control === undefined ? {} : { cache_control: draft.cache_control }),
          },
        ]);
        return;
    }
  }

  #push(role: "user" | "assistant", blocks: readonly Block[]): void {
    const last = this.#messages.at(-1);
    if (last?.role !== role) {
      this.#messages.push({ role, content: [...blocks] });
      return;
    }
    // The thinking of a second answer does not belong to the first one's place.
    last.content.push(...(role === "assistant" ? blocks.filter((block) => !isThinkingBlock(block)) : blocks));
  }

  #assistantBlocks(message: AssistantMessage, index: number): readonly Block[] {
    const blocks: Block[] = [...this.#thinking.blocksFor(message, index)];
    const text: Content = message.content;
    blocks.push(...this.#contentBlocks(text, ""));
    for (const call of callsOf(message))
      blocks.push({
        type: "tool_use",
        id: this.#ids.of(call.id),
        name: wireName(call.function.name),
        input: argumentObject(call.function.arguments),
      });
    const isSilent = blocks.every(isThinkingBlock);
    return isSilent ? [...blocks, { type: "text", text: silence }] : blocks;
  }

  /** Text and images; `fallback` stands in when nothing is left, unless it is empty. */
  #contentBlocks(content: Content, fallback = silence): readonly (TextBlock | ImageBlock)[] {
    const parts = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
    const blocks = parts.flatMap((part): readonly (TextBlock | ImageBlock)[] => {
      if (part.type !== "text") return [{ ...this.#image(part), ...markOf(part) }];
      return part.text.trim() === "" ? [] : [{ type: "text", text: part.text, ...markOf(part) }];
    });
    return blocks.length > 0 || fallback === "" ? blocks : [{ type: "text", text: fallback }];
  }

  #image(part: ImagePart): TextBlock | ImageBlock {
    const image = readImage(part, this.#target);
    if (image.kind === "refused") return { type: "text", text: image.text };
    this.hasImages = true;
    if (image.kind === "remote") return { type: "image", source: { type: "url", url: image.url } };
    return { type: "image", source: { type: "base64", media_type: image.mediaType, data: image.data } };
  }
}

function markOf(part: object): { readonly cache_control?: CacheMark } {
  return "cache_control" in part ? { cache_control: part.cache_control as CacheMark } : {};
}

function withMark(blocks: readonly Block[], mark: CacheMark | undefined): readonly Block[] {
  if (mark === undefined) return blocks;
  const at = blocks.findLastIndex((block) => !isThinkingBlock(block));
  return blocks.map((block, index) => (index === at ? ({ ...block, cache_control: mark } as Block) : block));
}

/** What holds for this call only stands in a block of its own, behind the cached one. */
function withEphemeral(
  system: string | readonly TextBlock[] | undefined,
  request: ModelRequest,
): string | readonly TextBlock[] | undefined {
  const text = request.ephemeral?.trim() ?? "";
  if (text === "") return system;
  const before: readonly TextBlock[] =
    system === undefined ? [] : typeof system === "string" ? [{ type: "text", text: system }] : system;
  return [...before, { type: "text", text }];
}
