import { cleanInput, recallBlock } from "#conversation";

export interface TurnAdditions {
  /** Raw text of the memory provider; fences inside it are removed. */
  readonly recall?: string | undefined;
  /** What hooks of plugins want the model to read in this turn. */
  readonly hookContext?: string | undefined;
}

/** The text that goes behind a user's words: the recall first, then what hooks said. Empty when there is neither. */
export function additionText(additions: TurnAdditions): string {
  const recall = cleanInput(additions.recall ?? "").trim();
  const context = (additions.hookContext ?? "").trim();
  return [recall === "" ? "" : recallBlock(recall), context].filter((text) => text !== "").join("\n\n");
}
