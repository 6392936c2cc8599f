import type { AgentHost } from "#agent";
import { type Message, textOf } from "#conversation";
import { defined } from "#foundation/defined";
import { isRecord, toJsonText } from "#foundation/text/json";
import type { Clock } from "#foundation/time/clock";
import type { AttemptEvent, ModelRequest, Models } from "#model";
import { type Tool, ToolFailure, type ToolResult } from "#tools";
import type { Cassette } from "./cassette.ts";
import { ResponseTaker, recordedEvents } from "./recorded-response.ts";
import { firstDifference, hashOf, type RequestForm, requestForm } from "./request-form.ts";

type Json = Readonly<Record<string, unknown>>;

interface Score {
  readonly reward: number;
  readonly details: Json;
}

/** The part of a cassette that is one rollout: its calls of the model in turn, the calls of tools each of them made, its score. */
export class Tape {
  readonly #cassette: Cassette;
  readonly #clock: Clock;
  readonly #prefix: string;
  #turn = 0;
  /** Of the last reply. */
  #callIds: readonly string[] = [];
  /** What the rollout began with: requests that begin otherwise are of children and side calls, and go past the tape. */
  #opening: string | undefined;
  readonly #recorded: Json[] = [];
  #known = 0;
  #replayed: { readonly ms: number; readonly atMs: number } | undefined;

  constructor(cassette: Cassette, clock: Clock, rollout: { readonly item: unknown; readonly key: string }) {
    this.#cassette = cassette;
    this.#clock = clock;
    this.#prefix = `${hashOf(rollout.item).slice(0, 16)}#${rollout.key}`;
  }

  /** When the rollout ended and how long it took, by the recorded times; undefined unless it was replayed. */
  get replayed(): { readonly seconds: number; readonly endedAtMs: number } | undefined {
    const { ms, atMs } = this.#replayed ?? {};
    return ms === undefined || atMs === undefined ? undefined : { seconds: ms / 1000, endedAtMs: atMs };
  }

  models(models: Models): Models {
    return { ...models, stream: (request, signal) => this.#stream(request, models, signal) };
  }

  async *#stream(request: ModelRequest, models: Models, signal: AbortSignal): AsyncGenerator<AttemptEvent, void> {
    const opening = openingOf(request.messages);
    this.#opening ??= opening;
    if (opening !== this.#opening) {
      yield* models.stream(request, signal);
      return;
    }
    const key = `${this.#prefix}#${this.#turn}`;
    const form = requestForm(request, (text) => this.#cassette.redacted(text));
    const line = this.#cassette.find(key);
    if (line !== undefined) {
      yield* this.#replay(line, form);
      return;
    }
    if (this.#cassette.options.mode === "replay") throw this.#cassette.note(`nothing is recorded for ${key}`);
    const startedMs = this.#clock.now();
    const taker = new ResponseTaker();
    for await (const event of models.stream(request, signal)) {
      taker.add(event);
      if (event.type === "attempt-end")
        await this.#record({ key, startedMs, model: request.target.model }, form, taker);
      yield event;
    }
  }

  async #record(
    call: { readonly key: string; readonly startedMs: number; readonly model: string },
    form: RequestForm,
    taker: ResponseTaker,
  ): Promise<void> {
    const nowMs = this.#clock.now();
    this.#next(taker.calls.map(({ id }) => id));
    const added = form.messages.slice(this.#known);
    this.#known = form.messages.length;
    await this.#cassette.write({
      key: call.key,
      request_sha256: form.sha256,
      model: call.model,
      messages: added,
      response: taker.response(),
      latency_ms: nowMs - call.startedMs,
      recorded_at: new Date(nowMs).toISOString(),
    });
  }

  *#replay(line: Json, form: RequestForm): Generator<AttemptEvent, void> {
    const key = String(line["key"]);
    const { messages, response, latency_ms: ms, recorded_at: at } = line;
    this.#recorded.push(...(Array.isArray(messages) ? messages.filter(isRecord) : []));
    this.#known = form.messages.length;
    if (line["request_sha256"] !== form.sha256) {
      const difference = `${key}: ${firstDifference(this.#recorded, form.messages)}`;
      this.#differs(difference);
    }
    const events = isRecord(response) ? recordedEvents(response) : undefined;
    if (events === undefined) throw this.#cassette.note(`${key} holds no response`);
    this.#next(events.flatMap((event) => (event.type === "tool-call" ? [event.call.id] : [])));
    this.#replayed = {
      ms: (this.#replayed?.ms ?? 0) + (typeof ms === "number" ? ms : 0),
      atMs: Date.parse(String(at)) || 0,
    };
    yield* events;
  }

  #next(callIds: readonly string[]): void {
    this.#callIds = callIds;
    this.#turn += 1;
  }

  #differs(difference: string): void {
    if (this.#cassette.options.isStrict) throw this.#cassette.note(difference);
    this.#cassette.warn(difference);
  }

  tools(tools: AgentHost["tools"]): AgentHost["tools"] {
    return {
      ...tools,
      list: async (options, scope, signal) => {
        const listing = await tools.list(options, scope, signal);
        const taped = [...listing.tools].map(([name, tool]): [string, Tool] => [name, this.#taped(tool)]);
        return { ...listing, tools: new Map(taped) };
      },
    };
  }

  #taped(tool: Tool): Tool {
    return {
      ...tool,
      execute: async (args, context) => {
        const index = this.#callIds.indexOf(context.callId);
        if (index < 0 || context.isNested === true) return await tool.execute(args, context);
        const key = `${this.#prefix}#${this.#turn - 1}#tool${index}`;
        const sha256 = hashOf(this.#cassette.redacted(args));
        const line = this.#cassette.find(key);
        if (line !== undefined) {
          if (line["args_sha256"] !== sha256) this.#differs(`${key}: ${tool.name} is called with other arguments`);
          return replayedResult(line);
        }
        const { keepsTools, mode } = this.#cassette.options;
        if (!keepsTools || mode === "replay") return await tool.execute(args, context);
        const ended = await tool.execute(args, context).catch(failedResult);
        const { content, isError, images } = ended;
        await this.#cassette.write({
          ...{ key, tool: tool.name, args_sha256: sha256 },
          result: typeof content === "string" ? content : toJsonText(content),
          ...(isError === true ? { is_error: true } : {}),
          ...defined({ images }),
        });
        return ended;
      },
    };
  }

  /** The recorded score; undefined: it is found out anew, in the sandbox. */
  get score(): Score | undefined {
    const line = this.#cassette.find(`${this.#prefix}#score`);
    if (line === undefined || typeof line["reward"] !== "number") return undefined;
    return { reward: line["reward"], details: isRecord(line["details"]) ? line["details"] : {} };
  }

  async keepScore({ reward, details }: Score): Promise<void> {
    const { keepsTools, mode } = this.#cassette.options;
    if (keepsTools && mode !== "replay") await this.#cassette.write({ key: `${this.#prefix}#score`, reward, details });
  }
}

function openingOf(messages: readonly Message[]): string {
  const first = messages.find(({ role }) => role === "user");
  return first === undefined ? "" : textOf(first.content);
}

/** What the model reads of a failure; everything else that is thrown is not for a cassette. */
function failedResult(error: unknown): ToolResult {
  if (!(error instanceof ToolFailure)) throw error;
  return { content: { error: error.message, ...error.extra }, isError: true };
}

function replayedResult({ result, is_error: isError, images }: Json): ToolResult {
  return {
    content: result,
    ...(isError === true ? { isError } : {}),
    ...(Array.isArray(images) ? { images: images as NonNullable<ToolResult["images"]> } : {}),
  };
}
