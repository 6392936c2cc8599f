import type { Fragments } from "./fragments.ts";
import type { WireObject } from "./wire-object.ts";

/**
 * What the fake model answers: protocol-neutral values, rendered later in the dialect of whoever asked.
 * Replies are plain data. `faults.ts` wraps them; a reply may be used for any number of requests.
 */
export interface Reply {
  readonly content: ReplyContent;
  readonly delivery: Delivery;
}

export type ReplyContent =
  | MessageContent
  | FailureContent
  | RawContent
  /** Nothing at all, not even headers. */
  | { readonly kind: "silence" };

export interface MessageContent {
  readonly kind: "message";
  readonly parts: readonly Part[];
  readonly options: MessageOptions;
}

export type Part = TextPart | RefusalPart | ReasoningPart | CallPart;

export interface TextPart extends TextOptions {
  readonly kind: "text";
  readonly text: string;
}

export interface RefusalPart {
  readonly kind: "refusal";
  readonly text: string;
}

export interface ReasoningPart extends ReasoningOptions {
  readonly kind: "reasoning";
  readonly text: string;
}

export interface CallPart extends CallOptions {
  readonly kind: "call";
  readonly name: string;
  readonly argumentText: string;
}

export interface TextOptions {
  readonly fragments?: Fragments;
  /** Some chat servers send content as a list of parts. */
  readonly shape?: "string" | "list";
  /** Responses only: `commentary` or `final_answer`. */
  readonly phase?: string;
}

export type ReasoningField = "reasoning_content" | "reasoning" | "reasoning_details" | "think-tag";

export interface ReasoningOptions {
  /** Issued and remembered when absent; null sends an unsigned block, as third-party Anthropic endpoints do. */
  readonly signature?: string | null;
  /** The `encrypted_content` of the Responses wire, or an encrypted `reasoning_details` entry; true issues one. */
  readonly encrypted?: string | boolean;
  /** Anthropic's `redacted_thinking` in place of readable text. */
  readonly redacted?: boolean;
  /** Where a chat server puts it; `reasoning_content`, or `reasoning_details` on OpenRouter. */
  readonly field?: ReasoningField;
  readonly fragments?: Fragments;
}

export interface CallOptions {
  /** Issued when absent; null leaves it out on the chat wire, as careless servers do. */
  readonly id?: string | null;
  /** Chat only, for example `{ google: { thought_signature: "S" } }`. */
  readonly extraContent?: unknown;
  readonly fragments?: Fragments;
  /** Chat only: the stream index; Ollama sends 0 for every parallel call. */
  readonly index?: number;
  /** Chat only: pieces, the whole call in one delta, or id and name repeated in every delta. */
  readonly style?: "pieces" | "whole" | "repeated-name";
}

export type Finish =
  | "stop"
  | "tool_calls"
  | "length"
  | "content_filter"
  | "pause"
  | "stop-sequence"
  | "context-full"
  | "failed";

/** What is left out comes from the cache ledger (prompt) and from the sizes (output). */
export interface ReplyUsage {
  /** Prompt tokens that were neither read from nor written to a cache. */
  readonly input?: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  /** The part of `cacheWrite` with the one-hour lifetime. */
  readonly cacheWrite1h?: number;
  readonly output?: number;
  readonly reasoning?: number;
  /** Merged into the wire object, for example `{ cost: 0.0123 }`. */
  readonly extra?: WireObject;
}

export interface MessageOptions {
  readonly usage?: ReplyUsage | "none";
  readonly finish?: Finish | undefined;
  /** The provider's own word, sent as it is: a finish reason, or a status on the Responses wire. */
  readonly rawFinish?: string | null;
  readonly model?: string;
  readonly id?: string;
  /** Responses only: the terminal event carries no output, so the client has only the items it saw. */
  readonly emptyFinalOutput?: boolean;
}

export type FailurePreset =
  | "rate-limited"
  | "overloaded"
  | "context-overflow"
  | "bad-key"
  | "missing-key"
  | "no-credit"
  | "model-not-found"
  | "payload-too-large"
  | "server-error"
  | "policy-blocked";

export interface FailureContent extends FailureOptions {
  readonly kind: "failure";
  readonly preset?: FailurePreset;
  readonly status?: number;
}

export interface FailureOptions {
  readonly type?: string;
  readonly code?: string | number | null;
  readonly param?: string | null;
  readonly message?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly retryAfterMs?: number;
  /** Replaces the provider's error body: text as it is, anything else as JSON. */
  readonly body?: unknown;
}

export interface RawContent {
  readonly kind: "raw";
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** One element per event; a body that is no stream has one. */
  readonly chunks: readonly Buffer[];
}

/** How the bytes leave; every field is one fault or manner, absent by default. */
export interface Delivery {
  readonly headers?: Readonly<Record<string, string>>;
  readonly cutAfterBytes?: number;
  readonly cutBy?: "close" | "reset";
  readonly hangAfter?: Limit;
  readonly malformedAt?: number;
  readonly split?: readonly number[] | "every-byte";
  readonly eventsPerRelease?: number;
  readonly pings?: number;
  readonly omit?: "done" | "finish";
  readonly lineEnding?: "\r\n";
  readonly midway?: { readonly failure: FailureContent; readonly afterEvents?: number };
}

export type Limit = { readonly bytes: number } | { readonly events: number };

/** A text answer. */
export function says(text: string, options: TextOptions & MessageOptions = {}): Reply {
  return message([{ kind: "text", text, ...options }], options);
}

/** An answer in which the model declines (`refusal`). */
export function refuses(text: string, options: MessageOptions = {}): Reply {
  return message([{ kind: "refusal", text }], options);
}

/** Reasoning; usually the first part of a `reply([...])`. */
export function thinks(text: string, options: ReasoningOptions & MessageOptions = {}): Reply {
  return message([{ kind: "reasoning", text, ...options }], options);
}

/** A tool call. A string is taken as the argument text itself, so that broken arguments can be told. */
export function calls(name: string, args: unknown = {}, options: CallOptions & Omit<MessageOptions, "id"> = {}): Reply {
  const argumentText = typeof args === "string" ? args : JSON.stringify(args);
  const { id: _callId, ...messageOptions } = options;
  return message([{ kind: "call", name, argumentText, ...options }], messageOptions);
}

/** Several parts in one answer, in the order given. */
export function reply(parts: readonly Reply[], options: MessageOptions = {}): Reply {
  const contents = parts.map((part) => {
    if (part.content.kind !== "message") throw new Error(`A ${part.content.kind} cannot be a part of a reply.`);
    return part.content;
  });
  const inherited = Object.assign({}, ...contents.map((content) => content.options)) as MessageOptions;
  return message(
    contents.flatMap((content) => content.parts),
    { ...inherited, ...options },
  );
}

function message(parts: readonly Part[], source: MessageOptions): Reply {
  const { usage, finish, rawFinish, model, id, emptyFinalOutput } = source;
  const options: MessageOptions = {
    ...(usage === undefined ? {} : { usage }),
    ...(finish === undefined ? {} : { finish }),
    ...(rawFinish === undefined ? {} : { rawFinish }),
    ...(model === undefined ? {} : { model }),
    ...(id === undefined ? {} : { id }),
    ...(emptyFinalOutput === undefined ? {} : { emptyFinalOutput }),
  };
  return { content: { kind: "message", parts, options }, delivery: {} };
}
