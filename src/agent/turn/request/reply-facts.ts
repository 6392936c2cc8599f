import { callsOf } from "#conversation";
import { isRecord } from "#foundation/text/json";
import type { Listing } from "#tools";
import type { Turn } from "../turn.ts";
import type { InspectFacts } from "./inspect.ts";

/** What the replies of this turn are judged by. */
export function factsFor(
  turn: Turn,
  { listing, userText }: { readonly listing: Listing; readonly userText: string },
): InspectFacts {
  const { target } = turn;
  const isOllamaGlm =
    target.isLocal && /\bglm/i.test(target.model) && /ollama|:11434/i.test(`${target.provider} ${target.baseUrl}`);
  return {
    toolNames: listing.names,
    requiredOf: (name) => requiredIn(listing.tools.get(name)?.parameters),
    mayHideTruncation: isOllamaGlm,
    hasUsedTools: turn.ownMessages().some((message) => callsOf(message).length > 0),
    ...(target.protocol === "codex_responses" ? { planningContext: userText } : {}),
  };
}

function requiredIn(schema: unknown): readonly string[] {
  const required = isRecord(schema) ? schema["required"] : undefined;
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}
