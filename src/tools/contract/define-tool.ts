import type { JsonSchema } from "#conversation";
import type { ToolContext } from "./context.ts";
import { ToolFailure, type ToolResult } from "./result.ts";
import type { Effects, EndedCall, RunningCode, Tool } from "./tool.ts";
import { type ArgumentsOf, readTyped } from "./typed-arguments.ts";

/** A tool of our own: what it takes is written once, as a schema; the types of its arguments follow from that. */
export interface ToolSpec<S extends JsonSchema>
  extends Omit<Tool, "parameters" | "effects" | "read" | "pathsOf" | "runs" | "shorten" | "execute"> {
  /** What is accepted. */
  readonly parameters: S;
  /** What models are told, where more is accepted than they are asked for. */
  readonly shown?: JsonSchema;
  readonly effects: Effects;
  /** Older or kinder ways of saying the same are put into the words of the schema before it is applied. */
  adapt?(args: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
  pathsOf?(args: ArgumentsOf<S>, taskId: string): readonly string[];
  runs?(args: ArgumentsOf<S>): RunningCode | undefined;
  shorten?(args: ArgumentsOf<S>, ended: EndedCall): string;
  /** Rejects with a `ToolFailure` for what the model may read and act on; anything else is reported as a bug. */
  run(args: ArgumentsOf<S>, context: ToolContext): Promise<ToolResult>;
}

/** Arguments are checked once, by `read`, before anything else sees them; the rest of the tool relies on their types. */
export function defineTool<const S extends JsonSchema>(spec: ToolSpec<S>): Tool {
  const { adapt, pathsOf, runs, shorten, run, shown, ...tool } = spec;
  type Args = ArgumentsOf<S>;
  return {
    ...tool,
    parameters: shown ?? spec.parameters,
    read: (args) => readTyped(adapt?.(args) ?? args, spec.parameters),
    ...(pathsOf === undefined ? {} : { pathsOf: (args, taskId) => pathsOf(args as Args, taskId) }),
    ...(runs === undefined ? {} : { runs: (args) => runs(args as Args) }),
    ...(shorten === undefined ? {} : { shorten: (args, ended) => shorten(args as Args, ended) }),
    execute: async (args, context) => stated(await run(args as Args, context)),
  };
}

/** Runs a call outside a turn; wrong arguments are a `ToolFailure` too. */
export async function runChecked(
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  context: ToolContext,
): Promise<ToolResult> {
  const read = tool.read?.(args) ?? { kind: "ok", args };
  if (read.kind === "wrong") throw new ToolFailure(`Wrong arguments for ${tool.name}: ${read.reason}.`);
  return await tool.execute(read.args, context);
}

/** Our own tools say whether they failed; nobody looks for it in what they answer. */
function stated(result: ToolResult): ToolResult {
  const { details } = result;
  return { ...result, isError: result.isError ?? (details?.kind === "command" && (details.exitCode ?? 0) !== 0) };
}
