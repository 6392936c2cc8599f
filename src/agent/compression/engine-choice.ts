import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { isRecord } from "#foundation/text/json";
import { result, type Tool, ToolFailure } from "#tools";
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
function isContextEngine(value: unknown): value is ContextEngine {
  if (!isRecord(value) || typeof value["name"] !== "string" || value["name"] === "") return false;
  const isCallable = ["updateFromResponse", "shouldCompress", "compress"].every(
    (name) => typeof value[name] === "function",
  );
  return isCallable && numbers.every((name) => typeof value[name] === "number");
}

const validName = /^[a-zA-Z0-9_-]{1,64}$/;

/** The tools an engine brings. Definitions that make no sense, and names that are taken, are left out with a warning. */
export function engineTools(
  engine: ContextEngine,
  deps: { readonly taken: ReadonlySet<string>; readonly logger: Logger },
): readonly Tool[] {
  const input: unknown = engine.getToolSchemas?.() ?? [];
  const tools = new Map<string, Tool>();
  for (const one of Array.isArray(input) ? (input as readonly unknown[]) : []) {
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
