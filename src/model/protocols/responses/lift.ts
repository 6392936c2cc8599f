import { parseJson } from "#foundation/text/json";
import type { ModelRequest } from "../../request.ts";
import type { Frame, Lift, Lifted } from "../protocol.ts";
import { EventWriter } from "../shared/event-writer.ts";
import { emptyAnswer, faultOf, malformedFrame, unfinished } from "../shared/fault.ts";
import { isSet, objectIn, objectsIn, textIn, type WireObject } from "../shared/fields.ts";
import { ReasoningTags } from "../shared/reasoning-tags.ts";
import { ToolInputs } from "../shared/tool-input.ts";
import { responsesUsage } from "../shared/usage.ts";
import { responsesFinish } from "./finish.ts";

/** Events of the Responses wire. The items of the terminal response are authoritative; what was not streamed is told at the end. */
export class ResponsesLift implements Lift {
  readonly #writer = new EventWriter();
  readonly #calls = new ToolInputs(this.#writer);
  readonly #tags: ReasoningTags;
  readonly #request: ModelRequest;
  /** Finished items by output index. */
  readonly #items = new Map<number, WireObject>();
  /** Output indexes whose words have been streamed. */
  readonly #spoken = new Set<number>();
  readonly #thought = new Set<number>();
  #lastSpoken: number | undefined;
  #summaryPart: string | undefined;
  #text = "";

  constructor(request: ModelRequest) {
    this.#request = request;
    this.#tags = new ReasoningTags({
      leftOpen: () => this.#writer.leaveReasoningOpen(),
      text: (text) => {
        this.#text += text;
        this.#writer.text(text);
      },
      reasoning: (text) => {
        if (this.#thought.size === 0) this.#writer.reasoning(text);
      },
    });
  }

  step(frame: Frame): readonly Lifted[] {
    if (this.#writer.isOver) return this.#writer.take();
    const data = frame.data.trim();
    if (data === "" || data === "[DONE]") return this.#writer.take();
    const parsed = parseJson(data);
    if (!parsed.ok) {
      this.#writer.fail(malformedFrame(parsed.message, data));
      return this.#writer.take();
    }
    this.#event(objectIn(parsed.value), data);
    return this.#writer.take();
  }

  end(): readonly Lifted[] {
    if (!this.#writer.isOver) {
      this.#tags.end();
      this.#writer.fail(unfinished);
    }
    return this.#writer.take();
  }

  whole(response: WireObject): readonly Lifted[] {
    this.#terminal(response, JSON.stringify(response));
    return this.#writer.take();
  }

  #event(event: WireObject, text: string): void {
    const type = textIn(event["type"]);
    switch (type) {
      case "response.created":
      case "response.in_progress": {
        const response = objectIn(event["response"]);
        this.#writer.start({ model: textIn(response["model"]), responseId: textIn(response["id"]) });
        return;
      }
      case "response.output_text.delta":
      case "response.refusal.delta":
        this.#say(event, textIn(event["delta"]));
        return;
      case "response.output_item.added":
        this.#openItem(indexOf(event), objectIn(event["item"]));
        return;
      case "response.function_call_arguments.delta":
        this.#calls.add({ index: indexOf(event), arguments: event["delta"] });
        return;
      case "response.output_item.done":
        this.#closeItem(indexOf(event), objectIn(event["item"]));
        return;
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
      case "response.cancelled":
      case "response.done":
        this.#terminal(objectIn(event["response"]), text);
        return;
      case "error":
        this.#writer.fail(faultOf("error" in event ? event : { error: event }, text));
        return;
      default:
        if (type.includes("reasoning") && type.endsWith(".delta")) this.#think(event);
        else if (type === "" && isSet(event["error"])) this.#writer.fail(faultOf(event, text));
    }
  }

  #say(event: WireObject, text: string): void {
    const index = indexOf(event);
    if (this.#lastSpoken !== index && this.#text !== "") this.#tags.push("\n\n");
    this.#lastSpoken = index;
    this.#spoken.add(index);
    this.#tags.push(text);
  }

  #think(event: WireObject): void {
    const part = `${indexOf(event)}:${String(event["summary_index"] ?? event["content_index"] ?? 0)}`;
    if (this.#summaryPart !== undefined && this.#summaryPart !== part) this.#writer.reasoning("\n\n");
    this.#summaryPart = part;
    this.#thought.add(indexOf(event));
    this.#writer.reasoning(textIn(event["delta"]));
  }

  #openItem(index: number, item: WireObject): void {
    if (item["type"] !== "function_call") return;
    const itemId = textIn(item["id"]);
    this.#calls.add({
      index,
      id: textIn(item["call_id"]),
      name: textIn(item["name"]),
      ...(itemId.startsWith("fc_") ? { itemId } : {}),
      arguments: item["arguments"],
    });
  }

  #closeItem(index: number, item: WireObject): void {
    this.#items.set(index, item);
    if (item["type"] !== "function_call") return;
    if (!this.#calls.has(index)) this.#openItem(index, item);
    const text = item["arguments"];
    if (typeof text === "string") this.#calls.settle(index, text);
  }

  #terminal(response: WireObject, text: string): void {
    const status = textIn(response["status"]);
    if (isSet(response["error"]) || status === "failed" || status === "cancelled") {
      this.#writer.fail(isSet(response["error"]) ? faultOf(response, text) : failedAs(status, text));
      return;
    }
    this.#writer.start({ model: textIn(response["model"]), responseId: textIn(response["id"]) });
    const final = objectsIn(response["output"]);
    // Some servers leave the output of the terminal response empty; the items seen on the way stand in.
    for (const [index, item] of final.entries()) this.#catchUp(index, item);
    this.#tags.end();
    const items = final.length > 0 ? final : [...this.#items].sort(([a], [b]) => a - b).map(([, item]) => item);
    this.#complete(response, items);
  }

  /** Tells what the stream left out. */
  #catchUp(index: number, item: WireObject): void {
    if (item["type"] === "function_call") this.#closeItem(index, item);
    else if (item["type"] === "message" && !this.#spoken.has(index)) {
      for (const part of objectsIn(item["content"]))
        this.#say({ output_index: index }, textIn(part["text"]) || textIn(part["refusal"]));
    } else if (item["type"] === "reasoning" && !this.#thought.has(index)) {
      for (const [at, part] of objectsIn(item["summary"]).entries())
        this.#think({ output_index: index, summary_index: at, delta: part["text"] });
    }
  }

  #complete(response: WireObject, items: readonly WireObject[]): void {
    const wasCut = items.some((item) => item["type"] === "function_call" && item["status"] === "incomplete");
    const { calls, isTruncated } = this.#calls.finish({ wasCut, tools: this.#request.tools });
    const reasoning = items.filter((item) => item["type"] === "reasoning");
    const encrypted = reasoning.filter((item) => textIn(item["encrypted_content"]) !== "");
    const messages = items.filter((item) => item["type"] === "message");
    if (encrypted.length > 0) this.#writer.add({ type: "opaque", field: "codex_reasoning_items", value: encrypted });
    if (messages.length > 0) this.#writer.add({ type: "opaque", field: "codex_message_items", value: messages });
    this.#writer.usage(responsesUsage(response["usage"]));
    const finish = responsesFinish({
      response,
      hasCalls: calls.length > 0,
      hasReasoning: reasoning.length > 0 || this.#thought.size > 0,
      text: this.#text,
      itemStatuses: messages.map((item) => textIn(item["status"])),
      phases: messages.map((item) => textIn(item["phase"])).filter((phase) => phase !== ""),
    });
    const reason = textIn(objectIn(response["incomplete_details"])["reason"]);
    this.#writer.finish(isTruncated || wasCut ? "length" : finish, reason || textIn(response["status"]) || undefined);
  }
}

function failedAs(status: string, text: string) {
  return { message: `the response was ${status}`, code: `response_${status}`, body: text.slice(0, 2_000) };
}

function indexOf(event: WireObject): number {
  return typeof event["output_index"] === "number" ? event["output_index"] : 0;
}

export function liftWholeResponses(body: unknown, request: ModelRequest): readonly Lifted[] {
  const response = objectIn(body);
  if (!Array.isArray(response["output"]) && !isSet(response["error"])) return emptyAnswer("output", body);
  return new ResponsesLift(request).whole(response);
}
