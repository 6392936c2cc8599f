import { type AssistantMessage, type Content, callsOf, type ImagePart, type Message } from "#conversation";
import { defined } from "#foundation/defined";
import type { ModelRequest } from "../../request.ts";
import type { Target } from "../../target.ts";
import type { JsonText } from "../body.ts";
import { type CacheMark, type Markable, markForCache } from "../shared/cache-marks.ts";
import { CallIds } from "../shared/call-ids.ts";
import { argumentObject, prepareHistory, wireName } from "../shared/history.ts";
import { imageFacts, readImage } from "../shared/media.ts";
import { WireTurns } from "../shared/wire-turns.ts";
import { type WireForm, type WireMemo, wireRun } from "../wire-memo.ts";
import { isThinkingBlock, ThinkingReplay } from "./thinking.ts";
import type { Block, ImageBlock, TextBlock } from "./wire.ts";

const maxIdLength = 64;
/** The service refuses messages without content. */
const silence = "(no words)";

export interface AnthropicMessages {
  readonly system: string | readonly TextBlock[] | undefined;
  readonly messages: JsonText;
  /** What the assistant said last. */
  readonly lastAnswer: readonly Block[];
  readonly hasImages: boolean;
}

/** One message of ours on its way to blocks; a mark on it is moved onto its last block that can carry one. */
type Draft = Message & Markable & { readonly cache_control?: CacheMark };
type SystemDraft = { readonly role: "system"; readonly content: unknown; readonly cache_control?: CacheMark };
type BlocksForm = WireForm<readonly Block[]>;

export function anthropicMessages(request: ModelRequest, memo: WireMemo): AnthropicMessages {
  const { target, options } = request;
  const history = prepareHistory(request.messages, memo);
  const system = request.system.trim();
  const all: readonly (Draft | SystemDraft)[] =
    system === "" ? history : [{ role: "system" as const, content: system }, ...history];
  const isMarked = (target.quirks.cacheMarks ?? "none") !== "none";
  const drafts = isMarked ? markForCache(all, { style: "block", ttl: options.cacheTtl }) : all;
  const first = drafts[0];
  const hasSystem = first?.role === "system";
  const thinking = new ThinkingReplay(target);
  const writer = new BlockWriter(target, thinking);
  const turns = new WireTurns<"user" | "assistant", Block>();
  for (const [index, message] of history.entries()) {
    const draft = drafts[hasSystem ? index + 1 : index] as Draft;
    // A marked message is a copy that is marked in this request only.
    const form =
      draft === message ? memo.form(message, writer.key(message), () => writer.write(message)) : writer.write(draft);
    const role = message.role === "assistant" ? "assistant" : "user";
    // The thinking of a second answer does not belong to the first one's place.
    const isSecond = role === "assistant" && turns.lastRole === "assistant";
    turns.push(role, isSecond ? wireRun(form.value.filter((block) => !isThinkingBlock(block))) : form);
  }
  return {
    system: withEphemeral(hasSystem ? (first.content as string | readonly TextBlock[]) : undefined, request),
    messages: turns.write("content"),
    lastAnswer: turns.lastOf("assistant"),
    hasImages: turns.hasImages,
  };
}

/** Writes single messages as blocks. */
class BlockWriter {
  readonly #target: Target;
  readonly #thinking: ThinkingReplay;
  readonly #facts: string;
  readonly #ids = new CallIds(maxIdLength);

  constructor(target: Target, thinking: ThinkingReplay) {
    this.#facts = `anthropic ${imageFacts(target)} ${thinking.facts}`;
    this.#target = target;
    this.#thinking = thinking;
  }

  /** Whatever decides how a message is written, besides itself. */
  key(message: Message): string {
    return `${this.#facts} ${this.#surroundings(message)}`;
  }

  /** A message that carries no mark is a draft too. */
  write(draft: Draft): BlocksForm {
    switch (draft.role) {
      case "user":
        return form(withMark(this.#contentBlocks(draft.content), draft.cache_control));
      case "assistant":
        return form(withMark(this.#assistantBlocks(draft), draft.cache_control));
      case "tool":
        return form([
          {
            type: "tool_result",
            tool_use_id: this.#ids.of(draft.tool_call_id),
            content: typeof draft.content === "string" ? draft.content : this.#contentBlocks(draft.content),
            ...defined({ cache_control: draft.cache_control }),
          },
        ]);
    }
  }

  #surroundings(message: Message): string {
    switch (message.role) {
      case "user":
        return "";
      case "assistant":
        return this.#ids.ofCalls(message);
      case "tool":
        return this.#ids.of(message.tool_call_id);
    }
  }

  #assistantBlocks(message: AssistantMessage): readonly Block[] {
    const blocks: Block[] = [...this.#thinking.blocksFor(message)];
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
    if (image.kind === "remote") return { type: "image", source: { type: "url", url: image.url } };
    return { type: "image", source: { type: "base64", media_type: image.mediaType, data: image.data } };
  }
}

function form(blocks: readonly Block[]): BlocksForm {
  return wireRun(blocks, blocks.some(holdsImage));
}

function holdsImage(block: Block): boolean {
  if (block.type !== "tool_result") return block.type === "image";
  return typeof block.content !== "string" && block.content.some((part) => part.type === "image");
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
