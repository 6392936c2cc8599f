import { describe } from "#foundation/errors";
import { isRecord } from "#foundation/text/json";
import { noAbilities } from "../contract/ability.ts";
import { runChecked } from "../contract/define-tool.ts";
import type { SessionScope } from "../contract/session-scope.ts";
import type { ToolRegistry } from "../registry/registry.ts";

/** The text of a page, or why there is none. */
export type FetchText = (
  url: string,
  signal: AbortSignal,
) => Promise<{ readonly kind: "text"; readonly text: string } | { readonly kind: "failed"; readonly reason: string }>;

/** Reads a page the way the model would: same backend, same rules about addresses. */
export function readPageWith(registry: ToolRegistry, scope: SessionScope): FetchText {
  return async (url, signal) => {
    const tool = registry.snapshot().tools.get("web_extract");
    if (tool === undefined) return { kind: "failed", reason: "pages cannot be read here" };
    const context = {
      callId: "reference",
      taskId: scope.key,
      sessionId: scope.key,
      scope,
      enabledTools: new Set<string>(),
      agent: noAbilities,
      signal,
      progress: () => undefined,
    };
    try {
      const { content } = await runChecked(tool, { urls: [url] }, context);
      const results = isRecord(content) ? content["results"] : undefined;
      const first: unknown = Array.isArray(results) ? results[0] : undefined;
      const text = isRecord(first) ? first["content"] : undefined;
      return typeof text === "string" && text !== ""
        ? { kind: "text", text }
        : { kind: "failed", reason: "the page has no text" };
    } catch (error) {
      signal.throwIfAborted();
      return { kind: "failed", reason: describe(error) };
    }
  };
}
