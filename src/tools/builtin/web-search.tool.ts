import { shortLine } from "#foundation/text/short-text";
import type { WebExits } from "../confinement/web-exits.ts";
import { defineTool } from "../contract/define-tool.ts";
import { result, ToolFailure } from "../contract/result.ts";
import type { Availability, Tool } from "../contract/tool.ts";
import type { WebOptions } from "../web/choose.ts";
import type { BuiltinTools } from "./builtin-deps.ts";

export interface WebSearchDeps {
  readonly web: WebOptions;
  readonly exits: Pick<WebExits, "found" | "holdsSecret">;
}

const defaultLimit = 5;
const mostHits = 20;

/** Answers what keeps the web tools from working, if anything does. */
export function webAvailability(web: WebOptions): (signal: AbortSignal) => Promise<Availability> {
  return async (signal) => {
    const { chooseWeb } = await import("../web/choose.ts");
    const chosen = await chooseWeb(web, signal);
    return chosen.kind === "ready" ? true : { reason: chosen.reason };
  };
}

/** `web_search`: titles, addresses and snippets. */
export function createWebSearchTool({ web, exits }: WebSearchDeps): Tool {
  return defineTool({
    name: "web_search",
    toolset: "web",
    emoji: "🔍",
    description: "Search the web. Gives titles, addresses and short descriptions; read a page with web_extract.",
    parameters: {
      type: "object",
      properties: {
        query: { type: "string", description: "What to look for" },
        limit: {
          type: "integer",
          minimum: 1,
          maximum: mostHits,
          description: `How many results (default ${defaultLimit})`,
        },
      },
      required: ["query"],
    },
    concurrency: "safe",
    effects: "none",
    check: webAvailability(web),
    shorten: ({ query }, { text }) => `searched the web for '${shortLine(query, 80)}' (${text.length} chars result)`,
    async run({ query: words, limit = defaultLimit }, context) {
      const query = words.trim();
      if (query === "") throw new ToolFailure("query must be a non-empty string");
      if (exits.holdsSecret(query)) throw new ToolFailure("Refused: the query holds a known secret. Nothing was sent.");
      const { chooseWeb } = await import("../web/choose.ts");
      const chosen = await chooseWeb(web, context.signal);
      if (chosen.kind === "missing") throw new ToolFailure(`Web search is not set up: ${chosen.reason}.`);
      const backend = chosen.choice.search;
      if (backend?.search === undefined) throw new ToolFailure("The configured web backend cannot search.");
      const bounded = Math.min(Math.max(limit, 1), mostHits);
      const answer = await backend.search(query, bounded, context.signal);
      if (answer.kind === "failed")
        throw new ToolFailure(`The search with ${backend.name} failed: ${answer.reason}`, { success: false });
      const hits = answer.hits.slice(0, bounded).map((hit, index) => ({ ...hit, position: index + 1 }));
      exits.found(
        context.scope.key,
        hits.map((hit) => hit.url),
      );
      return result({ success: true, data: { web: hits } });
    },
  });
}

/** Found by the list that is generated from this folder. */
export const builtin: BuiltinTools = ({ web }) => (web === undefined ? [] : [createWebSearchTool(web)]);
