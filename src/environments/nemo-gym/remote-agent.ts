import { randomBytes } from "node:crypto";
import type { AgentHost } from "#agent";
import { type Message, type TurnResult, textOf } from "#conversation";
import { defined } from "#foundation/defined";
import { describe } from "#foundation/errors";
import { deadline, linkSignals } from "#foundation/lifecycle/abort";
import { Deferred } from "#foundation/lifecycle/deferred";
import { Scope } from "#foundation/lifecycle/disposal";
import type { Slots } from "#foundation/lifecycle/slots";
import type { AttemptEvent, Models } from "#model";
import { extendListing, type Tool } from "#tools";
import { toolsetsFor } from "../env/attempt.ts";
import type { EnvironmentRun } from "../env/environment-run.ts";
import { requestOf } from "../env/request.ts";
import type { ManagedSession } from "../managed/managed-model.ts";
import type { TokenCall } from "../managed/sequence-tracker.ts";
import { openRollout } from "../rollout/rollout.ts";
import { callItem, conversationItems, type Item, messageItem, responseObject, withTokens } from "./items.ts";
import type { GymQuestion, GymTool } from "./question.ts";

interface AskedCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  readonly result: Deferred<string>;
}

/** What the model is writing, or wrote last. */
interface Reply {
  text: string;
  calls: { readonly id: string; readonly name: string; readonly arguments: string }[];
}

const idleMs = 30 * 60_000;

/**
 * Rollouts that Gym leads from outside: it asks, runs the tools that are its own when the agent calls them, and asks again
 * with their results. A rollout keeps its sandbox until it has answered, or until nobody has asked for half an hour.
 */
export class RemoteAgent implements AsyncDisposable {
  readonly #run: EnvironmentRun;
  readonly #slots: Slots;
  readonly #signal: AbortSignal;
  readonly #rollouts = new Map<string, RemoteRollout>();

  constructor(run: EnvironmentRun, slots: Slots, signal: AbortSignal) {
    this.#run = run;
    this.#slots = slots;
    this.#signal = signal;
  }

  /** The answer, and the id by which the rollout goes on. */
  async respond(id: string | undefined, question: GymQuestion): Promise<{ readonly id: string; readonly body: Item }> {
    const known = id === undefined ? undefined : this.#rollouts.get(id);
    const rollout = known ?? (await this.#open(question));
    this.#rollouts.set(rollout.id, rollout);
    try {
      const body = await rollout.respond(question.results);
      if (rollout.isOver) await this.#end(rollout);
      return { id: rollout.id, body };
    } catch (error) {
      await this.#end(rollout);
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#rollouts.values()].map((rollout) => this.#end(rollout)));
  }

  async #open(question: GymQuestion): Promise<RemoteRollout> {
    const owned = new Scope();
    try {
      const slot = await this.#slots.take(this.#signal);
      owned.defer(() => slot[Symbol.dispose]());
      const rollout = await RemoteRollout.open(question, { run: this.#run, owned }, this.#signal);
      rollout.onIdle(() => void this.#end(rollout));
      return rollout;
    } catch (error) {
      await owned[Symbol.asyncDispose]();
      throw error;
    }
  }

  async #end(rollout: RemoteRollout): Promise<void> {
    this.#rollouts.delete(rollout.id);
    await rollout[Symbol.asyncDispose]();
  }
}

class RemoteRollout implements AsyncDisposable {
  readonly id = randomBytes(12).toString("hex");
  readonly #stop = new AbortController();
  readonly #idle = deadline(idleMs);
  readonly #model: string;
  readonly #prefill: number;
  readonly #asked = new Map<string, AskedCall>();
  /** Calls, results and replies that Gym has been told of. */
  readonly #told = new Set<string>();
  #session: ManagedSession | undefined;
  #history: readonly Message[] = [];
  #reply: Reply = { text: "", calls: [] };
  #changed = new Deferred<void>();
  #ended: { readonly result: TurnResult } | { readonly error: unknown } | undefined;
  #owned: Scope | undefined;
  #turn: Promise<void> = Promise.resolve();

  private constructor(run: EnvironmentRun, question: GymQuestion) {
    this.#model = run.modelName;
    this.#prefill = question.earlier.length;
  }

  static async open(
    question: GymQuestion,
    { run, owned }: { readonly run: EnvironmentRun; readonly owned: Scope },
    signal: AbortSignal,
  ): Promise<RemoteRollout> {
    const self = new RemoteRollout(run, question);
    self.#owned = owned;
    const { rollouts, config } = run;
    const server = await run.servers.choose("training", signal);
    owned.defer(() => server[Symbol.dispose]());
    const session = server.managed?.open(config.tool_call_parser);
    self.#session = session;
    const stop = linkSignals(signal, self.#stop.signal);
    const { temperature, topP, maxOutputTokens, earlier, instructions, tools } = question;
    const request = requestOf(config, server.model.target);
    const rollout = owned.adopt(
      await openRollout(
        rollouts,
        {
          taskId: `${run.runId}_gym_${self.id}`,
          model: server.model,
          toolsets: toolsetsFor(run),
          disabledToolsets: config.disabled_toolsets ?? undefined,
          maxSteps: config.max_agent_turns,
          endsSilently: true,
          request: {
            ...request,
            ...defined({ temperature, maxOutputTokens }),
            ...(topP === undefined ? {} : { extraBody: { ...request.extraBody, top_p: topP } }),
          },
          systemPrompt: instructions ?? config.system_prompt ?? "",
          prefill: earlier,
          models: self.#watched(server.bounded(session?.models ?? rollouts.host.models)),
          tools: self.#withGymTools(rollouts.host.tools, tools),
          callSlots: run.callSlots,
        },
        stop,
      ),
    );
    self.#turn = rollout.run(question.prompt, stop).then(
      (result) => self.#end({ result }),
      (error: unknown) => self.#end({ error }),
    );
    return self;
  }

  get isOver(): boolean {
    return this.#ended !== undefined;
  }

  onIdle(act: () => void): void {
    this.#idle.signal.addEventListener("abort", act, { once: true });
  }

  /** Goes on with what Gym found out, until the agent has answered or wants more of it. */
  async respond(results: ReadonlyMap<string, string>): Promise<Item> {
    this.#idle.restart();
    for (const [id, output] of results) {
      this.#asked.get(id)?.result.resolve(output);
      this.#asked.delete(id);
      this.#told.add(`result:${id}`);
    }
    while (this.#ended === undefined && this.#asked.size === 0) {
      await this.#changed.promise;
      // Calls of one reply that may run side by side are asked together.
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#idle.restart();
    if (this.#ended !== undefined) return this.#answer(this.#ended);
    // All that is open, also what Gym was asked before and has left unanswered.
    const asked = [...this.#asked.values()];
    for (const { id } of asked) this.#told.add(`call:${id}`);
    const isTold = this.#told.has(`reply:${this.#reply.calls[0]?.id ?? ""}`);
    const text = this.#reply.text === "" || isTold ? [] : [messageItem(this.#reply.text)];
    const open = [...text, ...asked.map((call) => callItem(call.id, call))];
    const before = this.#untold(this.#history.slice(this.#prefill), (this.#session?.calls ?? []).slice(0, -1));
    this.#told.add(`reply:${this.#reply.calls[0]?.id ?? ""}`);
    return responseObject({
      model: this.#model,
      output: [...before, ...withTokens(open, this.#session?.calls.at(-1))],
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    this.#idle[Symbol.dispose]();
    for (const { result } of this.#asked.values()) result.resolve("");
    await this.#turn;
    await this.#owned?.[Symbol.asyncDispose]();
  }

  #answer(ended: { readonly result: TurnResult } | { readonly error: unknown }): Item {
    if ("error" in ended) throw new Error(describe(ended.error));
    const { result } = ended;
    if (result.failed) throw new Error(result.error ?? result.exitReason);
    return {
      ...responseObject({
        model: this.#model,
        output: this.#untold(result.messages, this.#session?.calls ?? []),
        usage: { prompt_tokens: result.usage.input, completion_tokens: result.usage.output },
      }),
      ...((this.#session?.breaks ?? 0) > 0 ? { mask_sample: true } : {}),
      ...(result.exitReason === "text_response" ? {} : { incomplete_details: { reason: result.exitReason } }),
    };
  }

  /** Without the question, and without what Gym has or told us itself. */
  #untold(messages: readonly Message[], calls: readonly TokenCall[]): readonly Item[] {
    const replies = messages.filter(({ role }) => role === "assistant").length;
    let reply = 0;
    return messages.flatMap((message) => {
      if (message.role === "user") return [];
      const own =
        message.role === "assistant" && replies === calls.length ? [calls[reply++]].flatMap((one) => one ?? []) : [];
      const key = message.role === "tool" ? `result:${message.tool_call_id}` : `reply:${replyKey(message)}`;
      if (this.#told.has(key)) return this.#lateCalls(message);
      this.#told.add(key);
      const items = conversationItems([message], own);
      return items.filter((item) => item["type"] !== "function_call" || this.#isNew(String(item["call_id"])));
    });
  }

  /** Calls of a reply that was told of before they had begun. */
  #lateCalls(message: Message): readonly Item[] {
    if (message.role !== "assistant") return [];
    return (message.tool_calls ?? [])
      .filter(({ id }) => this.#isNew(id))
      .map(({ id, function: called }) => callItem(id, called));
  }

  #isNew(callId: string): boolean {
    if (this.#told.has(`call:${callId}`)) return false;
    this.#told.add(`call:${callId}`);
    return true;
  }

  #end(ended: { readonly result: TurnResult } | { readonly error: unknown }): void {
    this.#ended = ended;
    this.#wake();
  }

  #wake(): void {
    this.#changed.resolve();
    this.#changed = new Deferred();
  }

  /** The models, with a look at what is said: what has been asked and not answered is in no transcript yet. */
  #watched(models: Models): Models {
    return {
      ...models,
      stream: (request, signal) => {
        this.#history = request.messages;
        return this.#listen(models.stream(request, signal));
      },
    };
  }

  async *#listen(events: AsyncIterable<AttemptEvent>): AsyncGenerator<AttemptEvent> {
    for await (const event of events) {
      if (event.type === "attempt-start") this.#reply = { text: "", calls: [] };
      if (event.type === "text-delta") this.#reply.text += event.text;
      if (event.type === "tool-call") this.#reply.calls.push({ id: event.call.id, ...event.call.function });
      yield event;
    }
  }

  #withGymTools(tools: AgentHost["tools"], own: readonly GymTool[]): AgentHost["tools"] {
    const added = own.map(
      (tool): Tool => ({
        ...tool,
        toolset: "gym",
        effects: "elsewhere",
        concurrency: "safe",
        execute: async (args, { callId }) => ({ content: await this.#ask(callId, tool.name, args) }),
      }),
    );
    return {
      ...tools,
      list: async (options, scope, signal) => extendListing(await tools.list(options, scope, signal), added),
    };
  }

  async #ask(id: string, name: string, args: unknown): Promise<string> {
    const written = this.#reply.calls.find((call) => call.id === id)?.arguments;
    const asked = { id, name, arguments: written ?? JSON.stringify(args), result: new Deferred<string>() };
    this.#asked.set(id, asked);
    this.#wake();
    return await asked.result.promise;
  }
}

function replyKey(message: Message): string {
  return message.role === "assistant" ? (message.tool_calls?.[0]?.id ?? textOf(message.content)) : "";
}
