import { defined } from "#foundation/defined";
import { describe, UserError } from "#foundation/errors";
import { probeServer } from "#tools";
import type { Invocation } from "../../command.ts";
import { argument } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { openMcpAccess, probeDeps, serverSettings } from "./open.ts";

export type TriedServer =
  | {
      readonly kind: "works";
      readonly tools: readonly {
        readonly name: string;
        readonly description: string;
        readonly is_read_only: boolean;
      }[];
      readonly has_resources: boolean;
      readonly has_prompts: boolean;
      readonly took_ms: number;
    }
  | { readonly kind: "failed"; readonly reason: string; readonly hint?: string };

export async function mcpTest(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const name = argument(invocation, 0);
  const tried = await tryServer(invocation, name);
  if (tried.kind === "failed")
    throw new UserError(`${name} does not answer: ${tried.reason}`, {
      code: "mcp_unreachable",
      ...defined({ hint: tried.hint }),
    });
  out.document({ server: name, ...tried });
  out.line(
    `${out.style.good("✓")} ${name} answered in ${tried.took_ms} ms: ${tried.tools.length} tools${tried.has_resources ? ", resources" : ""}${tried.has_prompts ? ", prompts" : ""}`,
  );
  if (tried.tools.length > 0)
    out.table(
      [{ title: "Tool" }, { title: "" }, { title: "About", isFlexible: true }],
      tried.tools.map((tool) => [tool.name, tool.is_read_only ? "reads" : "", tool.description]),
    );
  return 0;
}

/** Connects, lists and leaves. */
export async function tryServer(invocation: Invocation, name: string): Promise<TriedServer> {
  const { signal } = invocation.io;
  const parts = await openMcpAccess(invocation);
  const settings = serverSettings(parts, name);
  const startedAtMs = performance.now();
  try {
    const { tools, hasResources, hasPrompts } = await probeServer(settings, probeDeps(invocation, parts), signal);
    return {
      kind: "works",
      tools: tools.map((tool) => ({
        name: tool.name,
        description: tool.description ?? "",
        is_read_only: tool.isReadOnly,
      })),
      has_resources: hasResources,
      has_prompts: hasPrompts,
      took_ms: Math.round(performance.now() - startedAtMs),
    };
  } catch (error) {
    signal.throwIfAborted();
    const hint = error instanceof UserError ? error.hint : `See what it wrote: ${parts.home.logs}/mcp-${name}.log`;
    return { kind: "failed", reason: describe(error), ...defined({ hint }) };
  }
}
