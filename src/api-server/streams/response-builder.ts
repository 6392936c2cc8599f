import { randomBytes } from "node:crypto";
import type { TurnResult } from "#conversation";
import { toJsonText } from "#foundation/text/json";
import type { SessionEvent } from "#session";
import { responseUsage } from "../usage.ts";

export type ResponseStatus = "in_progress" | "completed" | "failed" | "incomplete";
export type ResponseObject = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly status: ResponseStatus;
};
type Item = Record<string, unknown> & { readonly id: string; readonly type: string };

export interface ResponseFacts {
  readonly id: string;
  readonly createdAt: number;
  readonly model: string;
  readonly instructions: string | null;
  readonly previousId: string | null;
  readonly isStored: boolean;
}

interface OpenMessage {
  readonly item: Item;
  readonly index: number;
  text: string;
}

/**
 * Makes a response of the events of a turn, and tells each step of it. Items stand in the order in which they
 * happened: calls with their results, texts between them, the answer last.
 */
export class ResponseBuilder {
  readonly #facts: ResponseFacts;
  readonly #emit: (type: string, fields: object) => void;
  readonly #output: Item[] = [];
  #message: OpenMessage | undefined;

  constructor(facts: ResponseFacts, emit: (type: string, fields: object) => void) {
    this.#facts = facts;
    this.#emit = emit;
  }

  /** The text of all messages so far. */
  get text(): string {
    const open = this.#message === undefined ? [] : [this.#message.text];
    const done = this.#output.flatMap(({ content }) =>
      Array.isArray(content) ? [(content[0] as { text: string }).text] : [],
    );
    return [...done.filter((text) => text !== ""), ...open].join("\n\n");
  }

  begin(): ResponseObject {
    const response = this.#response("in_progress");
    this.#emit("response.created", { response });
    this.#emit("response.in_progress", { response });
    return response;
  }

  take(event: SessionEvent): void {
    if (event.type === "text-delta" && event.text !== "") this.#write(event.text);
    else if (event.type === "tool-start" && !event.name.startsWith("_"))
      this.#call(event.callId, event.name, event.args);
    else if (event.type === "tool-end" && !event.name.startsWith("_"))
      this.#result(event.callId, event.result ?? event.preview);
  }

  complete(result: TurnResult): ResponseObject {
    const hasMessage = this.#output.some(({ type }) => type === "message") || this.#message !== undefined;
    if (!hasMessage && (result.text ?? "") !== "") this.#write(result.text ?? "");
    this.#closeMessage();
    const isWhole = result.exitReason !== "length_truncated";
    const response = this.#response(isWhole ? "completed" : "incomplete", {
      usage: responseUsage(result),
      ...(isWhole ? {} : { incomplete_details: { reason: "max_output_tokens" } }),
    });
    this.#emit(isWhole ? "response.completed" : "response.incomplete", { response });
    return response;
  }

  fail(message: string): ResponseObject {
    this.#closeMessage();
    const response = this.#response("failed", { error: { code: "server_error", message, type: "server_error" } });
    this.#emit("response.failed", { response });
    return response;
  }

  /** The client has gone: nobody is told, but what there is is kept. */
  cutOff(): ResponseObject {
    this.#closeMessage();
    return this.#response("incomplete", { incomplete_details: { reason: "interrupted" } });
  }

  #write(delta: string): void {
    this.#message ??= this.#openMessage();
    const { item, index } = this.#message;
    this.#message.text += delta;
    this.#emit("response.output_text.delta", {
      item_id: item.id,
      output_index: index,
      content_index: 0,
      delta,
      logprobs: [],
    });
  }

  #openMessage(): OpenMessage {
    const item: Item = { id: newItemId("msg"), type: "message", status: "in_progress", role: "assistant", content: [] };
    const index = this.#output.push(item) - 1;
    this.#emit("response.output_item.added", { output_index: index, item: { ...item } });
    const part = { type: "output_text", text: "", annotations: [], logprobs: [] };
    this.#emit("response.content_part.added", { item_id: item.id, output_index: index, content_index: 0, part });
    return { item, index, text: "" };
  }

  #closeMessage(): void {
    const open = this.#message;
    if (open === undefined) return;
    this.#message = undefined;
    const { item, index, text } = open;
    const where = { item_id: item.id, output_index: index, content_index: 0 };
    const part = { type: "output_text", text, annotations: [], logprobs: [] };
    Object.assign(item, { status: "completed", content: [part] });
    this.#emit("response.output_text.done", { ...where, text, logprobs: [] });
    this.#emit("response.content_part.done", { ...where, part });
    this.#emit("response.output_item.done", { output_index: index, item: { ...item } });
  }

  #call(callId: string, name: string, args: unknown): void {
    this.#closeMessage();
    const text = toJsonText(args ?? {});
    const item: Item = {
      id: newItemId("fc"),
      type: "function_call",
      status: "in_progress",
      name,
      arguments: text,
      call_id: callId,
    };
    const index = this.#output.push(item) - 1;
    this.#emit("response.output_item.added", { output_index: index, item: { ...item } });
    this.#emit("response.function_call_arguments.done", {
      item_id: item.id,
      output_index: index,
      name,
      arguments: text,
    });
    Object.assign(item, { status: "completed" });
    this.#emit("response.output_item.done", { output_index: index, item: { ...item } });
  }

  #result(callId: string, text: string): void {
    if (!this.#output.some(({ call_id }) => call_id === callId)) return;
    const output = [{ type: "input_text", text }];
    const item: Item = {
      id: newItemId("fco"),
      type: "function_call_output",
      status: "completed",
      call_id: callId,
      output,
    };
    const index = this.#output.push(item) - 1;
    this.#emit("response.output_item.added", { output_index: index, item });
    this.#emit("response.output_item.done", { output_index: index, item });
  }

  #response(status: ResponseStatus, more: object = {}): ResponseObject {
    const { id, createdAt, model, instructions, previousId, isStored } = this.#facts;
    return {
      id,
      object: "response",
      created_at: createdAt,
      status,
      error: null,
      incomplete_details: null,
      instructions,
      metadata: {},
      model,
      output: this.#output.map((item) => ({ ...item })),
      parallel_tool_calls: true,
      previous_response_id: previousId,
      store: isStored,
      temperature: null,
      tool_choice: "auto",
      tools: [],
      top_p: null,
      usage: null,
      ...more,
    };
  }
}

function newItemId(kind: string): string {
  return `${kind}_${randomBytes(12).toString("hex")}`;
}
