import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { isRecord } from "#foundation/text/json";
import type { Clock } from "#foundation/time/clock";
import { result, type Tool, type ToolContext, ToolFailure, type ToolResult } from "#tools";
import { within } from "./bounded.ts";
import type { MemoryProvider } from "./provider.ts";
import type { Parked } from "./quarantine.ts";

export interface ProviderToolsDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Names the model already knows; the provider does not get them. */
  readonly taken: ReadonlySet<string>;
  /** Sets a call that writes aside when the turn has read text of strangers; undefined lets it pass. */
  hold?(call: HeldCall, signal: AbortSignal): Promise<HeldAnswer | undefined>;
}

interface HeldCall {
  readonly provider: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly sessionId: string;
}

interface HeldAnswer {
  readonly parked: Parked;
  /** What the turn had read. */
  readonly source: string;
}

const validName = /^[a-zA-Z0-9_-]{1,64}$/;
const callTimeoutMs = 60_000;

/** The tools of a provider, as the toolbelt runs them. Definitions that make no sense are left out with a warning. */
export function providerTools(provider: MemoryProvider, deps: ProviderToolsDeps): readonly Tool[] {
  const tools = new Map<string, Tool>();
  for (const input of schemasOf(provider)) {
    const name = isRecord(input) ? input["name"] : undefined;
    const fields = isRecord(input) ? input : {};
    if (typeof name !== "string" || !validName.test(name) || !isRecord(fields["parameters"])) {
      deps.logger.warn("memory provider has a tool that cannot be used", { provider: provider.name });
    } else if (deps.taken.has(name) || tools.has(name)) {
      deps.logger.warn("memory provider has a tool whose name is taken", { provider: provider.name, tool: name });
    } else {
      const description = typeof fields["description"] === "string" ? fields["description"] : name;
      tools.set(name, toolOf(provider, { name, description, parameters: fields["parameters"] }, deps));
    }
  }
  return [...tools.values()];
}

/** A plugin may hand out anything. */
function schemasOf(provider: MemoryProvider): readonly unknown[] {
  const input: unknown = provider.getToolSchemas();
  return Array.isArray(input) ? input : [];
}

async function holdBack(
  provider: MemoryProvider,
  { tool, args, context }: { readonly tool: string; readonly args: HeldCall["args"]; readonly context: ToolContext },
  deps: ProviderToolsDeps,
): Promise<ToolResult | undefined> {
  if (deps.hold === undefined || onlyReads(provider, tool, args)) return undefined;
  const call = { provider: provider.name, tool, args, sessionId: context.sessionId };
  const held = await deps.hold(call, context.signal);
  if (held === undefined) return undefined;
  if (held.parked.kind === "full")
    throw new ToolFailure(
      "Nothing was saved: too much waits for the user's confirmation already, or this is too long to wait.",
    );
  return result({
    success: true,
    pending: true,
    pending_id: held.parked.id,
    message:
      `Not saved yet: this conversation holds text from outside (${held.source}), so the change waits until the user confirms it. ` +
      "Do not send it again; tell the user that it is waiting.",
  });
}

function toolOf(
  provider: MemoryProvider,
  definition: Pick<Tool, "name" | "description" | "parameters">,
  deps: ProviderToolsDeps,
): Tool {
  return {
    ...definition,
    toolset: "memory",
    isForMainAgent: true,
    emoji: "🧠",
    origin: "plugin",
    execute: async (args, context) => {
      const held = await holdBack(provider, { tool: definition.name, args, context }, deps);
      if (held !== undefined) return held;
      try {
        const answer = await within(
          (signal) => provider.handleToolCall?.(definition.name, args, { sessionId: context.sessionId, signal }),
          { clock: deps.clock, timeoutMs: callTimeoutMs, signal: context.signal },
        );
        if (answer === undefined) throw new Error("it answers no tool calls");
        return result(answer);
      } catch (error) {
        context.signal.throwIfAborted();
        deps.logger.warn("memory provider failed", { call: definition.name, reason: describe(error) });
        throw new ToolFailure(
          `The memory provider ${provider.name} could not do this: ${describe(error)}`,
          {},
          { cause: error },
        );
      }
    },
  };
}

const readWords =
  /(?:^|_)(?:search|list|get|read|recall|find|query|probe|lookup|show|stats?|status|count|context|profile|related|reason|contradict|ask|chat)(?:_|$)/i;

/**
 * Whether a call of a provider's tool only reads. The provider knows best; where it says nothing, the action it is
 * asked for decides, else the name of the tool. What is neither said nor recognised counts as writing.
 */
export function onlyReads(provider: MemoryProvider, tool: string, args: Readonly<Record<string, unknown>>): boolean {
  if (provider.isReadOnlyCall !== undefined) return provider.isReadOnlyCall(tool, args) === true;
  const { action } = args;
  return readWords.test(typeof action === "string" ? action : tool);
}
