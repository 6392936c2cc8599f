import { isRecord } from "#foundation/text/json";
import type { ContextEngine } from "./engine.ts";

export interface EngineChoice {
  /** `context.engine`. */
  readonly name: string;
  /** Engines plugins brought, in order of preference. None of them is used unless it is named. */
  readonly offered: readonly unknown[];
  builtin(): ContextEngine;
  warn(text: string): void;
}

/** The engine the configuration names; the built-in one, with a warning, when there is none of that name. */
export function selectEngine(choice: EngineChoice): ContextEngine {
  const builtin = choice.builtin();
  if (choice.name === "" || choice.name === builtin.name) return builtin;
  const named = choice.offered.filter((one) => isRecord(one) && one["name"] === choice.name);
  const found = named.find(isContextEngine);
  if (found !== undefined) return found;
  const why =
    named.length > 0
      ? `The context engine "${choice.name}" lacks members it must have`
      : `There is no context engine "${choice.name}" (context.engine)`;
  choice.warn(`${why}; the built-in one is used. See docs/guide/extending/add-a-context-engine.md.`);
  return builtin;
}

const numbers = [
  "lastPromptTokens",
  "lastCompletionTokens",
  "lastTotalTokens",
  "thresholdTokens",
  "contextLength",
  "compressionCount",
];

/** Looks at the members only; what they do shows when they are used. */
export function isContextEngine(value: unknown): value is ContextEngine {
  if (!isRecord(value) || typeof value["name"] !== "string" || value["name"] === "") return false;
  const isCallable = ["updateFromResponse", "shouldCompress", "compress"].every(
    (name) => typeof value[name] === "function",
  );
  return isCallable && numbers.every((name) => typeof value[name] === "number");
}
