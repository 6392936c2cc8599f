import type { Message, ToolCall, ToolMessage } from "#conversation";
import { defined } from "#foundation/defined";
import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { quietly } from "#foundation/files/quietly";
import { type CallObserver, type CallOutcome, shownResult, type Toolbelt } from "#tools";
import type { LoopDeps } from "../loop.ts";
import type { LoopGuard, LoopVerdict } from "./loop-guard.ts";
import { type SteerBox, withText } from "./steer-box.ts";
import type { Turn } from "./turn.ts";

export interface RunToolsDeps {
  belt(turn: Turn): Toolbelt;
  context(turn: Turn): Parameters<Toolbelt["run"]>[1]["context"];
  /** Hooks of plugins, audit: they may refuse a call or change its result. */
  observers(turn: Turn): readonly CallObserver[];
  /** Notes to append to a result, for example instructions found in a folder just visited. */
  hintsFor(call: ToolCall, args: Readonly<Record<string, unknown>>): Promise<string>;
  readonly steer: SteerBox;
  readonly guard: LoopGuard;
  readonly logger: Logger;
  /** More calls that start agents of their own are answered with an error. */
  readonly maxDelegations: number;
}

const withheldText =
  "This exact call has been made several times in this turn and the result was the same each time, so it was not run again. Try something else, or say what is missing.";
const nudgeText = "\n\n[Note: this call gave the same result before. Repeating it will not change anything.]";

/** Runs the calls of one reply, with everything that watches them. */
export function createRunTools(deps: RunToolsDeps): LoopDeps["runTools"] {
  return async (calls, turn) => {
    const belt = deps.belt(turn);
    const delegations = calls.filter((call) => belt.tool(call.function.name)?.isDelegation === true);
    const watch = new CallWatch(deps, turn, { calls, surplus: delegations.slice(deps.maxDelegations) });
    const results = await belt.run(calls, { context: deps.context(turn), observer: watch.observer() }, turn.signal);
    const messages: Message[] = [];
    for (const result of results) messages.push(await watch.finish(result));
    return { messages: deps.steer.deliver(messages), verdict: watch.verdict };
  };
}

class CallWatch {
  readonly #deps: RunToolsDeps;
  readonly #turn: Turn;
  readonly #observers: readonly CallObserver[];
  readonly #surplus: ReadonlySet<string>;
  readonly #args = new Map<string, Readonly<Record<string, unknown>>>();
  readonly #nudged = new Set<string>();
  readonly #calls: ReadonlyMap<string, ToolCall>;
  readonly #withheld = new Set<string>();
  verdict: LoopVerdict = "go-on";

  constructor(
    deps: RunToolsDeps,
    turn: Turn,
    { calls, surplus }: { readonly calls: readonly ToolCall[]; readonly surplus: readonly ToolCall[] },
  ) {
    this.#deps = deps;
    this.#turn = turn;
    this.#observers = deps.observers(turn);
    this.#calls = new Map(calls.map((call) => [call.id, call]));
    this.#surplus = new Set(surplus.map((call) => call.id));
  }

  observer(): CallObserver {
    return {
      beforeCall: (call, args) => this.#before(call, args),
      onStart: (call, args) => this.#started(call, args),
      onProgress: (call, text) => this.#turn.emit({ type: "tool-update", callId: call.id, text }),
      afterCall: (outcome, args) => this.#after(outcome, args),
      onEnd: (outcome) => this.#ended(outcome),
    };
  }

  /** The result as it goes into the transcript. */
  async finish(message: ToolMessage): Promise<Message> {
    const call = this.#calls.get(message.tool_call_id);
    if (call === undefined) return message;
    const args = this.#args.get(call.id) ?? {};
    const hints = (await quietly("looking for hints", () => this.#deps.hintsFor(call, args), this.#deps)) ?? "";
    const nudge = this.#nudged.has(call.id) ? nudgeText : "";
    return hints === "" && nudge === "" ? message : { ...message, content: withText(message.content, hints + nudge) };
  }

  async #before(
    call: ToolCall,
    args: Readonly<Record<string, unknown>>,
  ): ReturnType<NonNullable<CallObserver["beforeCall"]>> {
    if (this.#surplus.has(call.id))
      return `Only ${this.#deps.maxDelegations} delegations may run at once; this one was not started. Send it again afterwards.`;
    if (!this.#deps.guard.mayRun(call)) {
      this.#withheld.add(call.id);
      return withheldText;
    }
    let input = args;
    for (const observer of this.#observers) {
      const answer = await observer.beforeCall?.(call, input);
      if (typeof answer === "string") return answer;
      if (answer !== undefined) input = answer.args;
    }
    return input === args ? undefined : { args: input };
  }

  #started(call: ToolCall, args: Readonly<Record<string, unknown>>): void {
    this.#args.set(call.id, args);
    this.#tell((observer) => observer.onStart?.(call, args));
    const preview = previewOf(args);
    this.#turn.emit({ type: "tool-start", callId: call.id, name: call.function.name, args, preview });
  }

  /** Who only watches cannot stop a call. */
  #tell(tell: (observer: CallObserver) => void): void {
    for (const observer of this.#observers) {
      try {
        tell(observer);
      } catch (error) {
        this.#deps.logger.warn("an observer of a call failed and was passed over", { error: describe(error) });
      }
    }
  }

  async #after(outcome: CallOutcome, args: Readonly<Record<string, unknown>>): Promise<string | undefined> {
    let replaced: string | undefined;
    for (const observer of this.#observers) {
      const now = replaced === undefined ? outcome : { ...outcome, text: replaced };
      const text = await quietly("an observer of a call", () => observer.afterCall?.(now, args), this.#deps);
      replaced = text ?? replaced;
    }
    return replaced;
  }

  #ended(outcome: CallOutcome): void {
    this.#tell((observer) => observer.onEnd?.(outcome));
    const { call } = outcome;
    this.#turn.emit({
      type: "tool-end",
      callId: call.id,
      name: call.function.name,
      isError: outcome.kind !== "succeeded",
      durationMs: outcome.durationMs,
      preview: outcome.preview,
      ...defined({ diff: outcome.diff, details: outcome.details }),
      result: shownResult(outcome.text),
    });
    if (outcome.kind === "cancelled") return;
    const verdict = this.#withheld.has(call.id)
      ? this.#deps.guard.withheld(call)
      : this.#deps.guard.observe(call, outcome.text);
    if (verdict === "nudge") this.#nudged.add(call.id);
    if (verdict === "stop") this.verdict = "stop";
  }
}

const previewKeys = ["command", "path", "query", "url", "pattern", "goal", "question", "code", "name", "action"];

/** The one argument that says most about a call, on one line. */
function previewOf(args: Readonly<Record<string, unknown>>): string {
  const key = previewKeys.find((name) => typeof args[name] === "string");
  const value = key === undefined ? Object.values(args).find((one) => typeof one === "string") : args[key];
  return typeof value === "string" ? value.replace(/\s+/g, " ").slice(0, 120) : "";
}
