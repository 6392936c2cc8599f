import { structuredReasoning } from "#conversation";
import type { WireObject } from "../shared/fields.ts";

const growing = ["text", "summary", "data", "thinking"];

/**
 * `reasoning_details` as a router streams them: pieces of one block share an index and a type; texts
 * grow, other fields (signature, format, id) are set once they come.
 */
export class ReasoningDetails {
  readonly #blocks: Record<string, unknown>[] = [];

  static textOf(details: readonly WireObject[]): string | undefined {
    const texts = details.map((detail) => detail["text"] ?? detail["summary"] ?? detail["thinking"]);
    const words = texts.filter((text): text is string => typeof text === "string").join("");
    return words === "" ? structuredReasoning({ reasoning_details: details }) : words;
  }

  get isEmpty(): boolean {
    return this.#blocks.length === 0;
  }

  add(piece: WireObject): void {
    const last = this.#blocks.at(-1);
    const sameIndex = this.#blocks.findLast(
      (block) => piece["index"] !== undefined && block["index"] === piece["index"] && block["type"] === piece["type"],
    );
    const block = sameIndex ?? (piece["index"] === undefined && continues(last, piece) ? last : undefined);
    if (block === undefined) {
      this.#blocks.push({ ...piece });
      return;
    }
    for (const [key, value] of Object.entries(piece)) {
      const before = block[key];
      if (growing.includes(key) && typeof before === "string" && typeof value === "string") block[key] = before + value;
      else if (value !== null && value !== undefined) block[key] = value;
    }
  }

  whole(): readonly unknown[] {
    return this.#blocks;
  }
}

/** Without numbers, a piece belongs to the block before it while that is not signed yet. */
function continues(last: WireObject | undefined, piece: WireObject): boolean {
  if (last === undefined || last["type"] !== piece["type"] || typeof last["signature"] === "string") return false;
  return typeof piece["data"] !== "string" && (last["id"] === piece["id"] || piece["id"] === undefined);
}
