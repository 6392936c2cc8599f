import type { Message } from "#conversation";
import { estimateMessage, estimateText } from "#model";
import type { Listing } from "#tools";
import type { ContextShare } from "./services.ts";

interface Filling {
  readonly layers: readonly { readonly name: string; readonly text: string }[];
  /** Added to every prompt and never stored. */
  readonly ephemeral: string;
  readonly tools: Pick<Listing, "definitions" | "tools">;
  readonly history: readonly Message[];
}

/** What fills the window, largest first within prompt, tools and conversation. */
export function contextShares({ layers, ephemeral, tools, history }: Filling): readonly ContextShare[] {
  const prompt = [...layers, { name: "settings of the session", text: ephemeral }].map(
    ({ name, text }) => [`prompt: ${name.replaceAll("-", " ")}`, estimateText(text)] as const,
  );
  const definitions = tools.definitions.map(
    (one) => [`tools: ${tools.tools.get(one.name)?.toolset ?? "others"}`, estimateText(JSON.stringify(one))] as const,
  );
  const messages = history.map((message) => [sourceOf(message), estimateMessage(message)] as const);
  return [prompt, definitions, messages].flatMap(summed);
}

function sourceOf(message: Message): string {
  switch (message.role) {
    case "user":
      return "conversation: your messages";
    case "assistant":
      return "conversation: answers and calls";
    case "tool":
      return `conversation: results of ${message.tool_name ?? "tools"}`;
  }
}

function summed(sizes: readonly (readonly [source: string, tokens: number])[]): readonly ContextShare[] {
  const sums = new Map<string, number>();
  for (const [source, tokens] of sizes) sums.set(source, (sums.get(source) ?? 0) + tokens);
  return [...sums]
    .filter(([, tokens]) => tokens > 0)
    .map(([source, tokens]) => ({ source, tokens }))
    .sort((one, other) => other.tokens - one.tokens);
}
