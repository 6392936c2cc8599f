import { textOf } from "#conversation";
import type { Logger } from "#foundation/files/logger";
import { newId } from "#foundation/text/ids";
import type { Clock } from "#foundation/time/clock";
import type { ExecuteCodeDeps } from "../builtin/execute-code.tool.ts";
import { noAbilities } from "../contract/ability.ts";
import type { CallObserver } from "../contract/call-state.ts";
import type { ObservedTurn } from "../contract/tool-extensions.ts";
import type { ToolRegistry } from "../registry/registry.ts";
import { combineObservers } from "./combine-observers.ts";
import { Toolbelt } from "./toolbelt.ts";

export interface NestedCallsDeps {
  readonly registry: ToolRegistry;
  readonly clock: Clock;
  readonly logger: Logger;
  redact(text: string): string;
  observers(turn: ObservedTurn): readonly CallObserver[];
}

/**
 * Runs the tool calls of a script like calls of the model: coerced, watched by hooks, approved, audited and
 * masked. Results stay whole, because it is the script that cuts them down.
 */
export function nestedCalls(deps: NestedCallsDeps): ExecuteCodeDeps["callTool"] {
  return async ({ tool, args }, { callId: _, progress, noteUntrusted, enabledTools, signal, ...context }) => {
    const usable = [...deps.registry.snapshot().tools].filter(([name]) => enabledTools.has(name));
    const tools = new Map(usable.map(([name, one]) => [name, { ...one, maxResultChars: Number.POSITIVE_INFINITY }]));
    const belt = new Toolbelt({
      listing: {
        scope: context.scope,
        definitions: [],
        tools,
        names: enabledTools,
        unavailable: [],
        unknownToolsets: [],
      },
      files: { keep: () => Promise.resolve(undefined) },
      clock: deps.clock,
      logger: deps.logger,
      redact: (text) => deps.redact(text),
    });
    const call = {
      id: newId("call"),
      type: "function",
      function: { name: tool, arguments: JSON.stringify(args) },
    } as const;
    const watchers = deps.observers({ ...context, signal });
    const observer = combineObservers({ onProgress: (_call, text) => progress(text) }, ...watchers);
    // What is the agent's own stays with its own calls.
    const [message] = await belt.run(
      [call],
      { context: { ...context, agent: noAbilities, isNested: true }, observer },
      signal,
    );
    // What a script was told, its output may say.
    if (message?.untrusted !== undefined) noteUntrusted?.(message.untrusted);
    return textOf(message?.content);
  };
}
