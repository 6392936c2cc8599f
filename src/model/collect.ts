import {
  type AssistantMessage,
  type FinishReason,
  hasUnclosedReasoning,
  type ModelEvent,
  type OpaqueField,
  splitReasoning,
  structuredReasoning,
  type ToolCall,
  type Usage,
} from "#conversation";
import { defined } from "#foundation/defined";
import { scrubDeep, scrubSurrogates } from "#foundation/text/json";
import { holdsLeakedCall } from "./protocols/responses/finish.ts";

/** What one attempt said, as it goes into the transcript. */
export interface Collected {
  readonly message: AssistantMessage;
  /** The text as it came, with its outer whitespace: pieces of a cut answer are joined by it. */
  readonly text: string;
  readonly finish: FinishReason;
  readonly rawFinish?: string;
  /** Undefined when the provider counted nothing. */
  readonly usage?: Usage;
  /** What the provider says it charged. */
  readonly costUsd?: number;
  readonly model?: string;
  readonly responseId?: string;
  /** The stream broke off: the message holds what had been said until then. */
  readonly isPartial: boolean;
  /** A reasoning tag was opened in the text and never closed. */
  readonly isReasoningOpen: boolean;
  /** Names of calls that had begun when the stream broke off; they were never run. */
  readonly lostCalls: readonly string[];
}

/** Events of one attempt to one assistant message. Feed every event in order; ask once at the end. */
export class Collector {
  readonly #text: string[] = [];
  readonly #reasoning: string[] = [];
  readonly #calls: ToolCall[] = [];
  readonly #begun: string[] = [];
  readonly #opaque: { -readonly [Field in OpaqueField]?: unknown } = {};
  #usage: Usage | undefined;
  #costUsd: number | undefined;
  #end: Extract<ModelEvent, { type: "attempt-end" }> | undefined;
  #start: Extract<ModelEvent, { type: "attempt-start" }> | undefined;

  /** Visible text so far. */
  get text(): string {
    return this.#text.join("");
  }

  /** False once a call has begun: words that come behind it are kept but no longer shown. */
  get showsText(): boolean {
    return this.#begun.length === 0;
  }

  /** `withhold` is for words behind a call; everything else may be shown as it comes. */
  add(event: ModelEvent): "show" | "withhold" {
    switch (event.type) {
      case "attempt-start":
        this.#start = event;
        return "show";
      case "text-delta":
        this.#text.push(event.text);
        return this.showsText ? "show" : "withhold";
      case "text-start":
      case "text-end":
        return this.showsText ? "show" : "withhold";
      case "reasoning-delta":
        this.#reasoning.push(event.text);
        return "show";
      case "reasoning-end":
        this.#reasoning.push("\n\n");
        return "show";
      case "tool-input-start":
        this.#begun.push(event.name);
        return "show";
      case "tool-call":
        this.#calls.push(event.call);
        return "show";
      case "opaque":
        this.#opaque[event.field] = event.value;
        return "show";
      case "usage":
        this.#usage = event.usage;
        this.#costUsd = event.costUsd;
        return "show";
      case "attempt-end":
        this.#end = event;
        return "show";
      case "reasoning-start":
      case "tool-input-delta":
      case "relayed":
        return "show";
    }
  }

  /** The whole answer; of a stream that broke off, what was said as a plain answer without its calls. */
  result(): Collected {
    const end = this.#end;
    const finish = end?.finish ?? "stop";
    return {
      message: end === undefined ? this.#partialMessage() : this.#message(finish),
      text: scrubSurrogates(this.text),
      finish,
      isPartial: end === undefined,
      isReasoningOpen: end?.isReasoningOpen === true || hasUnclosedReasoning(this.text),
      lostCalls: end === undefined ? this.#begun : [],
      ...defined({ rawFinish: end?.rawFinish }),
      ...defined({ usage: this.#usage, costUsd: this.#costUsd }),
      ...defined({ model: this.#start?.model, responseId: this.#start?.responseId }),
    };
  }

  #message(finish: FinishReason): AssistantMessage {
    const { visible, reasoning: inline } = splitReasoning(scrubSurrogates(this.text));
    const isLeak = finish === "incomplete" && holdsLeakedCall(visible);
    const streamed = scrubSurrogates(this.#reasoning.join("")).trim();
    const reasoning = streamed || structuredReasoning(this.#opaque) || inline;
    return {
      role: "assistant",
      // A call that leaked into the text is not an answer.
      content: isLeak ? "" : visible,
      ...(this.#calls.length === 0 ? {} : { tool_calls: this.#calls }),
      ...(reasoning === "" ? {} : { reasoning }),
      ...this.#opaqueFields(),
      finish_reason: finish,
    };
  }

  /** Opaque fields of half an answer would not be accepted back. */
  #partialMessage(): AssistantMessage {
    const { visible, reasoning: inline } = splitReasoning(scrubSurrogates(this.text));
    const reasoning = scrubSurrogates(this.#reasoning.join("")).trim() || inline;
    return { role: "assistant", content: visible, ...(reasoning === "" ? {} : { reasoning }), finish_reason: "stop" };
  }

  #opaqueFields(): Partial<AssistantMessage> {
    const { reasoning_content, reasoning_details, codex_reasoning_items, codex_message_items } = this.#opaque;
    return {
      ...(typeof reasoning_content === "string" ? { reasoning_content: scrubSurrogates(reasoning_content) } : {}),
      ...(Array.isArray(reasoning_details) ? { reasoning_details: scrubDeep(reasoning_details) } : {}),
      ...(Array.isArray(codex_reasoning_items) ? { codex_reasoning_items: scrubDeep(codex_reasoning_items) } : {}),
      ...(Array.isArray(codex_message_items) ? { codex_message_items: scrubDeep(codex_message_items) } : {}),
    };
  }
}
