import { type AssistantMessage, replayedReasoning } from "#conversation";
import { isRecord } from "#foundation/text/json";
import type { Target, TargetQuirks } from "../../target.ts";
import { hostOf, isAnthropicHost } from "../shared/endpoint.ts";
import type { TextBlock, ThinkingBlock } from "./wire.ts";

/**
 * Which thinking goes back. The service verifies signatures, so only its own host gets signed blocks. It needs
 * them on the answer that is still being worked on and passes over older ones, so `signed` leaves every block
 * where it was sent: the prompt stays a prefix of the next one, also when the user speaks again.
 */
export class ThinkingReplay {
  readonly #policy: NonNullable<TargetQuirks["thinkingReplay"]>;
  readonly #fieldIsRequired: boolean;

  constructor(target: Target) {
    this.#policy = target.quirks.thinkingReplay ?? (isAnthropicHost(hostOf(target)) ? "signed" : "none");
    this.#fieldIsRequired = target.quirks.requiresReasoningContent === true;
  }

  /** What of the target goes into the blocks. */
  get facts(): string {
    return `${this.#policy} ${this.#fieldIsRequired}`;
  }

  blocksFor(message: AssistantMessage): readonly (ThinkingBlock | TextBlock)[] {
    switch (this.#policy) {
      case "none":
        return [];
      case "unsigned": {
        const thinking = replayedReasoning(message, { fieldIsRequired: this.#fieldIsRequired });
        return thinking === undefined ? [] : [{ type: "thinking", thinking }];
      }
      case "signed":
        return storedBlocks(message);
    }
  }
}

function storedBlocks(message: AssistantMessage): readonly (ThinkingBlock | TextBlock)[] {
  const details: unknown = message.reasoning_details;
  return Array.isArray(details) ? details.filter(isRecord).flatMap(storedBlock) : [];
}

/** Unsigned thinking would be refused as thinking; as text it is still worth reading. */
function storedBlock(detail: Readonly<Record<string, unknown>>): readonly (ThinkingBlock | TextBlock)[] {
  const { type, thinking, signature, data } = detail;
  if (type === "redacted_thinking") return typeof data === "string" && data !== "" ? [{ type, data }] : [];
  if (type !== "thinking" || typeof thinking !== "string") return [];
  if (typeof signature === "string" && signature !== "") return [{ type, thinking, signature }];
  return thinking.trim() === "" ? [] : [{ type: "text", text: thinking.trim() }];
}

export function isThinkingBlock(block: { readonly type: string } | undefined): boolean {
  return block?.type === "thinking" || block?.type === "redacted_thinking";
}
