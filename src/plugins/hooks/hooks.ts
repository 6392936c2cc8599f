import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { deadline, linkSignals, raceAbort } from "#foundation/lifecycle/abort";
import { disposable } from "#foundation/lifecycle/disposal";
import { isRecord } from "#foundation/text/json";
import type { CallLocation } from "#tools";
import type { PluginCalls } from "../plugin-calls.ts";
import { frozenCopy } from "./frozen-copy.ts";
import { type HookName, isHookName } from "./names.ts";
import type { HookPayloads, ToolCallPayload } from "./payloads.ts";

export type HookCallback<P = unknown> = (payload: P, signal: AbortSignal) => unknown;

export interface HookOptions {
  /** Who registered it, for the log. */
  readonly owner: string;
  /** Shell hooks run after those of plugins. */
  readonly rank?: "plugin" | "shell";
  /** A `pre_tool_call` that fails or takes too long blocks the call instead of being skipped. */
  readonly failClosed?: boolean;
  /** Its own limit, where the callback has one (shell commands). */
  readonly timeoutMs?: number;
}

export interface HooksOptions {
  readonly logger: Logger;
  /** Knows for which session callbacks run. */
  readonly calls?: PluginCalls;
  /** `hooks.timeout_ms`; `pre_llm_call` gets twice as long. */
  readonly timeoutMs?: number;
}

export type ToolCallVerdict =
  | { readonly kind: "run"; readonly args?: Readonly<Record<string, unknown>> }
  | { readonly kind: "block"; readonly message: string };

export type DispatchVerdict =
  | { readonly kind: "allow" }
  | { readonly kind: "skip"; readonly reason: string }
  | { readonly kind: "rewrite"; readonly text: string };

/** What fires the hooks of one session. */
export type SessionHooks = Pick<
  Hooks,
  "has" | "notify" | "transform" | "beforeToolCall" | "turnContext" | "beforeDispatch"
>;

interface Registered {
  readonly callback: HookCallback;
  readonly options: HookOptions;
}

type Outcome =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "failed"; readonly failClosed: boolean; readonly owner: string; readonly why: string };

/**
 * The callbacks of plugins and shell hooks.
 *
 * 1. Each callback runs once per event, in the order of registration, plugins before shell hooks.
 * 2. One that throws or takes too long is logged and skipped; nothing it does reaches the caller.
 * 3. All get the same frozen copy of the payload: nothing can be changed by writing to it.
 */
export class Hooks {
  readonly #options: HooksOptions;
  #registered: ReadonlyMap<string, readonly Registered[]> = new Map();

  constructor(options: HooksOptions) {
    this.#options = options;
  }

  /** A name nothing fires is kept, with a warning: a newer plugin may run on an older program. */
  on(name: string, callback: HookCallback, options: HookOptions): Disposable & AsyncDisposable {
    if (!isHookName(name))
      this.#options.logger.warn("hook has a name nothing fires", { hook: name, owner: options.owner });
    const entry: Registered = { callback, options };
    const all = [...(this.#registered.get(name) ?? []), entry];
    const plugins = all.filter((one) => one.options.rank !== "shell");
    const shell = all.filter((one) => one.options.rank === "shell");
    this.#set(name, [...plugins, ...shell]);
    return disposable(() =>
      this.#set(
        name,
        (this.#registered.get(name) ?? []).filter((one) => one !== entry),
      ),
    );
  }

  /** Spares the caller building a payload nobody reads. */
  has(name: HookName): boolean {
    return (this.#registered.get(name)?.length ?? 0) > 0;
  }

  /** The same hooks, called for a session: what their callbacks ask of the program is done there. */
  for(location: () => CallLocation | undefined): SessionHooks {
    const { calls } = this.#options;
    // Only where a callback will run: following a call through everything it awaits slows every promise of the program.
    const run = <T>(name: HookName, work: () => T): T =>
      calls === undefined || !this.has(name) ? work() : calls.run(location(), work);
    return {
      has: (name) => this.has(name),
      notify: (name, ...input) => run(name, () => this.notify(name, ...input)),
      transform: (name, ...input) => run(name, () => this.transform(name, ...input)),
      beforeToolCall: (...input) => run("pre_tool_call", () => this.beforeToolCall(...input)),
      turnContext: (...input) => run("pre_llm_call", () => this.turnContext(...input)),
      beforeDispatch: (...input) => run("pre_gateway_dispatch", () => this.beforeDispatch(...input)),
    };
  }

  /** For hooks whose answers mean nothing. */
  async notify<N extends HookName>(name: N, payload: HookPayloads[N], signal: AbortSignal): Promise<void> {
    for await (const _ of this.#run(name, payload, signal));
  }

  /** The first text replaces what was transformed; every callback still runs. */
  async transform<N extends "transform_tool_result" | "transform_terminal_output">(
    name: N,
    payload: HookPayloads[N],
    signal: AbortSignal,
  ): Promise<string | undefined> {
    let first: string | undefined;
    for await (const outcome of this.#run(name, payload, signal)) {
      if (outcome.kind === "value" && typeof outcome.value === "string") first ??= outcome.value;
    }
    return first;
  }

  /** The first valid block wins, and ends the asking; the last changed arguments count otherwise. */
  async beforeToolCall(payload: ToolCallPayload, signal: AbortSignal): Promise<ToolCallVerdict> {
    let args: Readonly<Record<string, unknown>> | undefined;
    for await (const outcome of this.#run("pre_tool_call", payload, signal)) {
      if (outcome.kind === "failed") {
        if (outcome.failClosed)
          return { kind: "block", message: `A required check could not be made: ${outcome.owner}: ${outcome.why}.` };
        continue;
      }
      const { value } = outcome;
      if (!isRecord(value)) continue;
      if (value["action"] === "block" && typeof value["message"] === "string") {
        return { kind: "block", message: value["message"] };
      }
      if (value["action"] === "modify" && isRecord(value["args"])) {
        args = value["args"];
        this.#options.logger.info("hook changed the arguments of a call", { tool: payload.tool_name });
      }
    }
    return args === undefined ? { kind: "run" } : { kind: "run", args };
  }

  /** What plugins add to the user message of this turn only, joined by blank lines. */
  async turnContext(payload: HookPayloads["pre_llm_call"], signal: AbortSignal): Promise<string | undefined> {
    const parts: string[] = [];
    for await (const outcome of this.#run("pre_llm_call", payload, signal)) {
      if (outcome.kind === "failed") continue;
      const text = isRecord(outcome.value) ? outcome.value["context"] : outcome.value;
      if (typeof text === "string" && text !== "") parts.push(text);
    }
    return parts.length === 0 ? undefined : parts.join("\n\n");
  }

  /** The first decision other than letting it pass counts. */
  async beforeDispatch(payload: HookPayloads["pre_gateway_dispatch"], signal: AbortSignal): Promise<DispatchVerdict> {
    for await (const outcome of this.#run("pre_gateway_dispatch", payload, signal)) {
      if (outcome.kind === "failed" || !isRecord(outcome.value)) continue;
      const { action, reason, text } = outcome.value;
      if (action === "skip") return { kind: "skip", reason: typeof reason === "string" ? reason : "" };
      if (action === "rewrite" && typeof text === "string") return { kind: "rewrite", text };
    }
    return { kind: "allow" };
  }

  async *#run(name: HookName, payload: unknown, signal: AbortSignal): AsyncGenerator<Outcome> {
    const entries = this.#registered.get(name) ?? [];
    if (entries.length === 0) return;
    const frozen = frozenCopy(payload);
    for (const entry of entries) {
      signal.throwIfAborted();
      yield await this.#call(name, entry, { payload: frozen, signal });
    }
  }

  async #call(
    name: HookName,
    { callback, options }: Registered,
    { payload, signal }: { readonly payload: unknown; readonly signal: AbortSignal },
  ): Promise<Outcome> {
    const usualMs = (this.#options.timeoutMs ?? 5_000) * (name === "pre_llm_call" ? 2 : 1);
    using limit = deadline(options.timeoutMs ?? usualMs, "the hook took too long");
    const bounded = linkSignals(signal, limit.signal);
    try {
      const running = Promise.resolve().then(() => callback(payload, bounded));
      return { kind: "value", value: await raceAbort(running, bounded) };
    } catch (error) {
      if (signal.aborted) throw error;
      const message = describe(error);
      this.#options.logger.warn("hook failed and was skipped", { hook: name, owner: options.owner, error: message });
      return { kind: "failed", failClosed: options.failClosed === true, owner: options.owner, why: message };
    }
  }

  #set(name: string, entries: readonly Registered[]): void {
    this.#registered = new Map(this.#registered).set(name, entries);
  }
}
