import type { Clock } from "#foundation/clock";
import { describe } from "#foundation/errors";
import { isRecord } from "#foundation/json";
import type { Logger } from "#foundation/logger";
import { result, type Tool, ToolFailure } from "#tools";
import { within } from "./bounded.ts";
import type { MemoryProvider } from "./provider.ts";

export interface ProviderToolsDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Names the model already knows; the provider does not get them. */
  readonly taken: ReadonlySet<string>;
}

const validName = /^[a-zA-Z0-9_-]{1,64}$/;
const callTimeoutMs = 60_000;

/** The tools of a provider, as the toolbelt runs them. Definitions that make no sense are left out with a warning. */
export function providerTools(provider: MemoryProvider, deps: ProviderToolsDeps): readonly Tool[] {
  const tools = new Map<string, Tool>();
  for (const given of schemasOf(provider)) {
    const name = isRecord(given) ? given["name"] : undefined;
    const fields = isRecord(given) ? given : {};
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
  const given: unknown = provider.getToolSchemas();
  return Array.isArray(given) ? given : [];
}

function toolOf(
  provider: MemoryProvider,
  definition: Pick<Tool, "name" | "description" | "parameters">,
  deps: ProviderToolsDeps,
): Tool {
  return {
    ...definition,
    toolset: "memory",
    emoji: "🧠",
    origin: "plugin",
    execute: async (args, context) => {
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
