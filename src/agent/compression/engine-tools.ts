import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { isRecord } from "#foundation/text/json";
import { result, type Tool, ToolFailure } from "#tools";
import type { ContextEngine } from "./engine.ts";

const validName = /^[a-zA-Z0-9_-]{1,64}$/;

/** The tools an engine brings. Definitions that make no sense, and names that are taken, are left out with a warning. */
export function engineTools(
  engine: ContextEngine,
  deps: { readonly taken: ReadonlySet<string>; readonly logger: Logger },
): readonly Tool[] {
  const given: unknown = engine.getToolSchemas?.() ?? [];
  const tools = new Map<string, Tool>();
  for (const one of Array.isArray(given) ? (given as readonly unknown[]) : []) {
    const fields = isRecord(one) ? one : {};
    const { name, parameters, description } = fields;
    if (typeof name !== "string" || !validName.test(name) || !isRecord(parameters))
      deps.logger.warn("context engine has a tool that cannot be used", { engine: engine.name });
    else if (deps.taken.has(name) || tools.has(name))
      deps.logger.warn("context engine has a tool whose name is taken", { engine: engine.name, tool: name });
    else
      tools.set(name, {
        name,
        toolset: "context",
        origin: "plugin",
        description: typeof description === "string" ? description : name,
        parameters,
        execute: (args, context) => answer(engine, { name, args }, context),
      });
  }
  return [...tools.values()];
}

async function answer(
  engine: ContextEngine,
  call: { readonly name: string; readonly args: Readonly<Record<string, unknown>> },
  context: { readonly sessionId: string; readonly signal: AbortSignal },
) {
  try {
    const { sessionId, signal } = context;
    const text = await engine.handleToolCall?.(call.name, call.args, { sessionId, signal });
    if (text === undefined) throw new Error("it answers no tool calls");
    return result(text);
  } catch (error) {
    context.signal.throwIfAborted();
    const reason = `The context engine ${engine.name} could not do this: ${describe(error)}`;
    throw new ToolFailure(reason, {}, { cause: error });
  }
}
