import { type Content, readArguments, type ToolCall, type ToolMessage, textPart, toolMessage } from "#conversation";
import { defined } from "#foundation/defined";
import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { sleep } from "#foundation/lifecycle/abort";
import type { Clock } from "#foundation/time/clock";
import type { LastingContext } from "../approval/lasting-write.ts";
import type { CallObserver, CallOutcome } from "../contract/call-state.ts";
import { coerceArguments } from "../contract/coerce.ts";
import type { ToolContext } from "../contract/context.ts";
import { boundResults, defaultOutputLimits, type OutputLimits, type ResultFiles } from "../contract/output-limit.ts";
import type { Tool } from "../contract/tool.ts";
import type { Listing } from "../registry/listing.ts";
import { AskingTime } from "./asking-time.ts";
import { type Rendered, renderError, renderResult } from "./render.ts";
import { planBatches } from "./schedule.ts";

export interface ToolbeltDeps {
  readonly listing: Listing;
  readonly files: ResultFiles;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits?: OutputLimits | undefined;
  /** Applied to every text before it leaves: known secrets are masked. */
  redact(text: string): string;
  readonly maxParallel?: number;
  /** Between two calls that run one after the other; none when absent. */
  readonly pauseMs?: number | undefined;
}

export type CallContext = Omit<ToolContext, "callId" | "progress" | "enabledTools" | "signal" | "noteUntrusted">;

/** Tools whose answers are words of strangers. */
const foreignToolsets: ReadonlySet<string> = new Set(["web", "browser", "search"]);

const stopGraceMs = 3_000;

interface Prepared {
  readonly call: ToolCall;
  readonly tool: Tool | undefined;
  readonly args: Readonly<Record<string, unknown>>;
  /** Set when the call cannot run: what the model is told instead. */
  readonly refusal?: string;
}

/**
 * The tools of one turn, ready to run.
 *
 * 1. Every call gets exactly one result, in the order of the calls, whatever happens.
 * 2. A call never runs with arguments that could not be read as they were written.
 * 3. Nothing thrown by a tool reaches the model as anything but a well-formed JSON error.
 */
export class Toolbelt {
  readonly #deps: ToolbeltDeps;

  constructor(deps: ToolbeltDeps) {
    this.#deps = deps;
  }

  /** The tool a call names, as far as there is one. */
  tool(name: string): Tool | undefined {
    return this.#deps.listing.tools.get(name);
  }

  get names(): ReadonlySet<string> {
    return this.#deps.listing.names;
  }

  /** Runs the calls of one reply and gives their results as messages. */
  async run(
    calls: readonly ToolCall[],
    turn: { readonly context: CallContext; readonly observer: CallObserver },
    signal: AbortSignal,
  ): Promise<readonly ToolMessage[]> {
    const prepared = calls.map((call) => this.#prepare(call));
    const batches = planBatches(
      prepared.map(({ tool, args, refusal }) => ({
        concurrency: refusal === undefined ? (tool?.concurrency ?? "serial") : "safe",
        paths: tool?.pathsOf?.(args, turn.context.taskId) ?? [],
        isReadOnly: tool?.effects === "none",
      })),
    );
    const done = new Map<number, { readonly outcome: CallOutcome; readonly rendered: Rendered }>();
    for (const [location, batch] of batches.entries()) {
      if (location > 0) await this.#pause(signal);
      await inParallel(batch, this.#deps.maxParallel ?? 8, async (index) => {
        const one = prepared[index];
        if (one !== undefined) done.set(index, await this.#runOne(one, turn, signal));
      });
    }
    return this.#messages(calls, prepared, done);
  }

  /** An interrupt ends the pause; the calls that follow see it too. */
  async #pause(signal: AbortSignal): Promise<void> {
    const { pauseMs = 0, clock } = this.#deps;
    if (pauseMs > 0) await clock.sleep(pauseMs, signal).catch(() => undefined);
  }

  #prepare(call: ToolCall): Prepared {
    const tool = this.#deps.listing.tools.get(call.function.name);
    if (tool === undefined) return { call, tool, args: {}, refusal: `Unknown tool: ${call.function.name}` };
    const read = readArguments(call.function.arguments);
    if (read.kind === "ok")
      return this.#forwarded(call, tool, read.value) ?? { call, tool, ...checked(tool, read.value) };
    const what = read.kind === "truncated" ? "were cut off" : "are not valid JSON";
    return {
      call,
      tool,
      args: {},
      refusal: `The arguments of ${tool.name} ${what}: ${read.message}. Nothing was run. Send the whole call again; send {} when it takes no arguments.`,
    };
  }

  /** A call that only names another tool is one of that tool, for everybody but the model. */
  #forwarded(call: ToolCall, tool: Tool, args: Readonly<Record<string, unknown>>): Prepared | undefined {
    const meant = tool.forwards?.(args);
    if (meant === undefined) return undefined;
    const target = this.#deps.listing.tools.get(meant.tool);
    if (target === undefined || target.forwards !== undefined)
      return {
        call,
        tool,
        args,
        refusal: `There is no tool ${meant.tool}. Nothing was run. tool_search finds the names.`,
      };
    const inner = { ...call, function: { name: target.name, arguments: JSON.stringify(meant.args) } };
    return { call: inner, tool: target, ...checked(target, meant.args) };
  }

  async #runOne(
    one: Prepared,
    turn: { readonly context: CallContext; readonly observer: CallObserver },
    signal: AbortSignal,
  ): Promise<{ readonly outcome: CallOutcome; readonly rendered: Rendered }> {
    const { call, args } = one;
    const startedAt = this.#deps.clock.now();
    turn.observer.onStart?.(call, args);
    const asking = new AskingTime(this.#deps.clock);
    const context = { ...turn.context, scope: asking.watch(turn.context.scope) };
    const foreign = new Foreign();
    const [rendered, kind] = await this.#execute(one, { ...turn, context, foreign }, signal);
    const text = this.#deps.redact(rendered.text);
    let outcome: CallOutcome = {
      call,
      text,
      kind,
      durationMs: Math.max(0, Math.round(this.#deps.clock.now() - startedAt - asking.totalMs)),
      preview: this.#deps.redact(rendered.preview),
      diff: rendered.diff === undefined ? undefined : this.#deps.redact(rendered.diff),
      details: kind === "refused" ? { kind } : rendered.details,
      untrusted: kind === "refused" || kind === "cancelled" ? undefined : foreign.sourceOf(one.tool),
    };
    const replaced = kind === "refused" ? undefined : await turn.observer.afterCall?.(outcome, args);
    if (replaced !== undefined) outcome = { ...outcome, text: replaced };
    turn.observer.onEnd?.(outcome);
    return { outcome, rendered };
  }

  async #execute(
    { call, tool, args, refusal }: Prepared,
    {
      context,
      observer,
      foreign,
    }: { readonly context: CallContext; readonly observer: CallObserver; readonly foreign: Foreign },
    signal: AbortSignal,
  ): Promise<readonly [Rendered, CallOutcome["kind"]]> {
    const name = call.function.name;
    if (signal.aborted) return [cancelled(name), "cancelled"];
    if (tool === undefined || refusal !== undefined) return [renderError(refusal ?? ""), "refused"];
    let input = args;
    try {
      const before = await observer.beforeCall?.(call, args);
      if (typeof before === "string") return [renderError(before), "refused"];
      if (before !== undefined) {
        const changed = checked(tool, before.args);
        if (changed.refusal !== undefined) return [renderError(changed.refusal), "refused"];
        input = changed.args;
      }
      const refusal = await refusalOfLasting(tool, input, { ...context, signal });
      if (refusal !== undefined) return [renderError(refusal), "refused"];
    } catch (error) {
      if (signal.aborted) return [cancelled(name), "cancelled"];
      return [renderError(`Error executing ${name}: ${describe(error)}`), "failed"];
    }
    try {
      // A call that waits for calls of others needs no place of its own: it could be the last one.
      const runsOthers = tool.isDelegation === true || tool.costsNoStep === true;
      using _slot = runsOthers ? undefined : await context.scope.callSlots?.take(signal);
      const running = tool.execute(input, {
        ...context,
        callId: call.id,
        enabledTools: this.#deps.listing.names,
        signal,
        noteUntrusted: (source) => foreign.note(source),
        progress: (text) => observer.onProgress?.(call, this.#deps.redact(text)),
      });
      const ended = await settleWithin(running, signal);
      if (ended === undefined) return [cancelled(name), "cancelled"];
      const rendered = renderResult(ended);
      return [rendered, rendered.isError ? "failed" : "succeeded"];
    } catch (error) {
      if (signal.aborted) return [cancelled(name), "cancelled"];
      this.#deps.logger.debug("tool failed", { tool: name, error: describe(error) });
      return [renderError(error), "failed"];
    }
  }

  async #messages(
    calls: readonly ToolCall[],
    prepared: readonly Prepared[],
    done: ReadonlyMap<number, { readonly outcome: CallOutcome; readonly rendered: Rendered }>,
  ): Promise<readonly ToolMessage[]> {
    const limits = this.#deps.limits ?? defaultOutputLimits;
    const texts = await boundResults(
      calls.map((call, index) => ({
        callId: call.id,
        text: done.get(index)?.outcome.text ?? cancelled(call.function.name).text,
        limit: prepared[index]?.tool?.maxResultChars ?? limits.perResult,
      })),
      this.#deps.files,
      limits,
    );
    return calls.map((call, index) => {
      const images = done.get(index)?.rendered.images ?? [];
      const text = texts[index] ?? "";
      const content: Content = images.length === 0 ? text : [textPart(text), ...images];
      const untrusted = done.get(index)?.outcome.untrusted;
      return toolMessage(call, content, defined({ untrusted }));
    });
  }
}

/** Why a lasting change does not happen: words of strangers are in the context and nobody agreed. Notes wait for a person by themselves. */
async function refusalOfLasting(
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  context: LastingContext,
): Promise<string | undefined> {
  if (tool.isLasting !== true || tool.serves === "notes" || context.untrusted === undefined) return undefined;
  const { askAboutLasting } = await import("../approval/lasting-write.ts");
  return askAboutLasting(context, { tool: tool.name, summary: JSON.stringify(args, undefined, 2) });
}

/** The arguments as the tool takes them, or why it cannot. */
function checked(tool: Tool, args: Readonly<Record<string, unknown>>): Pick<Prepared, "args" | "refusal"> {
  if (tool.read === undefined) return { args: coerceArguments(args, tool.parameters) };
  const read = tool.read(args);
  if (read.kind === "ok") return { args: read.args };
  return { args, refusal: `Wrong arguments for ${tool.name}: ${read.reason}. Nothing was run.` };
}

/** Whether a call brought in words of strangers, and whose. */
class Foreign {
  #source: string | undefined;

  note(source: string): void {
    this.#source ??= source.slice(0, 200);
  }

  sourceOf(tool: Tool | undefined): string | undefined {
    if (this.#source !== undefined || tool === undefined) return this.#source;
    return tool.origin === "mcp" || foreignToolsets.has(tool.toolset) ? tool.name : undefined;
  }
}

function cancelled(name: string): Rendered {
  return renderError(`${name} did not run: cancelled by the user`, { cancelled: true });
}

/** The result, or undefined when the call was interrupted and did not stop in time. */
async function settleWithin<T>(running: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  const stop = new AbortController();
  const interrupted = new Promise<undefined>((resolve) => {
    const wait = (): void => {
      sleep(stopGraceMs, stop.signal).then(
        () => resolve(undefined),
        () => undefined,
      );
    };
    if (signal.aborted) wait();
    else signal.addEventListener("abort", wait, { once: true, signal: stop.signal });
  });
  try {
    return await Promise.race([running, interrupted]);
  } finally {
    stop.abort();
  }
}

/** Runs the work over all indexes, at most `limit` at once. The work must not throw. */
async function inParallel(
  indexes: readonly number[],
  limit: number,
  work: (index: number) => Promise<void>,
): Promise<void> {
  const queue = [...indexes];
  const lane = async (): Promise<void> => {
    for (let index = queue.shift(); index !== undefined; index = queue.shift()) await work(index);
  };
  await Promise.all(Array.from({ length: Math.min(limit, queue.length) }, lane));
}
