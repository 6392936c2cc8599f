import { parseJson } from "#foundation/text/json";
import type { ModelRequest } from "../../request.ts";
import type { Frame, Lift, Lifted } from "../protocol.ts";
import { EventWriter } from "../shared/event-writer.ts";
import { emptyAnswer, faultOf, malformedFrame, unfinished } from "../shared/fault.ts";
import { isSet, objectIn, objectsIn, textIn, type WireObject } from "../shared/fields.ts";
import { finishOf } from "../shared/finish.ts";
import { ReasoningTags } from "../shared/reasoning-tags.ts";
import { ToolInputs } from "../shared/tool-input.ts";
import { anthropicUsage, laterUsage } from "../shared/usage.ts";

/** A thinking block while it grows. */
interface Thinking {
  readonly type: "thinking";
  thinking: string;
  signature: string;
}

type Detail = Thinking | { readonly type: "redacted_thinking"; readonly data: string };

/** Events of the Messages wire; also of Bedrock, which wraps each in a frame of its own. */
export class AnthropicLift implements Lift {
  readonly #writer = new EventWriter();
  readonly #calls = new ToolInputs(this.#writer);
  readonly #tags: ReasoningTags;
  readonly #request: ModelRequest;
  readonly #details: Detail[] = [];
  readonly #thinking = new Map<number, Thinking>();
  readonly #wholeInputs = new Map<number, unknown>();
  #usage: ReturnType<typeof anthropicUsage>;
  #stopReason: string | undefined;
  #endsWithBreak = true;
  #isStopped = false;

  constructor(request: ModelRequest) {
    this.#request = request;
    this.#tags = new ReasoningTags({
      leftOpen: () => this.#writer.leaveReasoningOpen(),
      text: (text) => {
        this.#endsWithBreak = text.endsWith("\n");
        this.#writer.text(text);
      },
      reasoning: (text) => {
        if (this.#details.length === 0) this.#writer.reasoning(text);
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
    if (frame.event === "chunk") return this.#unwrap(objectIn(parsed.value));
    if (frame.event?.startsWith("exception/") === true) {
      const code = frame.event.slice("exception/".length);
      this.#writer.fail({ message: textIn(objectIn(parsed.value)["message"]) || code, code, body: data });
      return this.#writer.take();
    }
    this.#event(objectIn(parsed.value), data);
    return this.#writer.take();
  }

  end(): readonly Lifted[] {
    if (this.#writer.isOver) return this.#writer.take();
    this.#tags.end();
    if (!this.#isStopped && this.#stopReason === undefined) this.#writer.fail(unfinished);
    else this.#complete();
    return this.#writer.take();
  }

  /** The events of a message that came whole. */
  whole(body: WireObject): readonly Lifted[] {
    if (body["type"] === "error" || (body["error"] !== undefined && body["error"] !== null)) {
      this.#writer.fail(faultOf(body, JSON.stringify(body)));
      return this.#writer.take();
    }
    this.#event({ type: "message_start", message: body }, "");
    for (const [index, block] of objectsIn(body["content"]).entries()) {
      this.#event({ type: "content_block_start", index, content_block: block }, "");
      this.#event({ type: "content_block_stop", index }, "");
    }
    this.#stopReason = textIn(body["stop_reason"]) || undefined;
    this.#isStopped = true;
    return this.end();
  }

  /** Bedrock: `{"bytes": base64 of one event}`. */
  #unwrap(wrapper: WireObject): readonly Lifted[] {
    const bytes = textIn(wrapper["bytes"]);
    return this.step({ event: undefined, data: Buffer.from(bytes, "base64").toString("utf8") });
  }

  #event(event: WireObject, text: string): void {
    switch (event["type"]) {
      case "message_start": {
        const message = objectIn(event["message"]);
        this.#writer.start({ model: textIn(message["model"]), responseId: textIn(message["id"]) });
        this.#usage = laterUsage(this.#usage, anthropicUsage(message["usage"]));
        return;
      }
      case "content_block_start":
        this.#open(indexOf(event), objectIn(event["content_block"]));
        return;
      case "content_block_delta":
        this.#delta(indexOf(event), objectIn(event["delta"]));
        return;
      case "content_block_stop":
        this.#close(indexOf(event));
        return;
      case "message_delta":
        this.#usage = laterUsage(this.#usage, anthropicUsage(event["usage"]));
        this.#stopReason = textIn(objectIn(event["delta"])["stop_reason"]) || this.#stopReason;
        return;
      case "message_stop":
        this.#isStopped = true;
        this.#tags.end();
        this.#complete();
        return;
      case "error":
        this.#writer.fail(faultOf(event, text));
        return;
      default:
        // Pings, and what newer servers may add. A bare error object is an error all the same.
        if (event["type"] === undefined && isSet(event["error"])) this.#writer.fail(faultOf(event, text));
    }
  }

  #open(index: number, block: WireObject): void {
    switch (block["type"]) {
      case "text":
        // Separate blocks are separate paragraphs.
        if (this.#writer.hasText && !this.#endsWithBreak) this.#tags.push("\n");
        this.#tags.push(textIn(block["text"]));
        return;
      case "thinking": {
        const thinking: Thinking = { type: "thinking", thinking: "", signature: textIn(block["signature"]) };
        this.#details.push(thinking);
        this.#thinking.set(index, thinking);
        this.#think(index, textIn(block["thinking"]));
        return;
      }
      case "redacted_thinking":
        this.#details.push({ type: "redacted_thinking", data: textIn(block["data"]) });
        return;
      case "tool_use":
        this.#wholeInputs.set(index, block["input"]);
        this.#calls.add({ index, id: textIn(block["id"]), name: textIn(block["name"]) });
        return;
      default:
        return;
    }
  }

  #delta(index: number, delta: WireObject): void {
    switch (delta["type"]) {
      case "text_delta":
        this.#tags.push(textIn(delta["text"]));
        return;
      case "thinking_delta":
        this.#think(index, textIn(delta["thinking"]));
        return;
      case "signature_delta": {
        const block = this.#thinking.get(index);
        if (block !== undefined) block.signature += textIn(delta["signature"]);
        return;
      }
      case "input_json_delta":
        this.#calls.add({ index, arguments: textIn(delta["partial_json"]) });
        return;
      default:
        return;
    }
  }

  #think(index: number, text: string): void {
    const block = this.#thinking.get(index);
    if (block !== undefined) block.thinking += text;
    this.#writer.reasoning(text);
  }

  /** Some servers put the whole input into the start of a block and stream none of it. */
  #close(index: number): void {
    const input = this.#wholeInputs.get(index);
    this.#wholeInputs.delete(index);
    if (input === undefined || this.#calls.hasText(index)) return;
    if (Object.keys(objectIn(input)).length > 0) this.#calls.add({ index, arguments: input });
  }

  #complete(): void {
    if (this.#writer.isOver) return;
    const wasCut = this.#stopReason === "max_tokens" || this.#stopReason === "model_context_window_exceeded";
    const { calls, isTruncated } = this.#calls.finish({ wasCut, tools: this.#request.tools });
    const details = this.#details.map((detail) =>
      detail.type === "thinking" && detail.signature === ""
        ? { type: detail.type, thinking: detail.thinking }
        : { ...detail },
    );
    if (details.length > 0) this.#writer.add({ type: "opaque", field: "reasoning_details", value: details });
    this.#writer.usage(this.#usage);
    const finish = isTruncated ? "length" : finishOf("anthropic", this.#stopReason, calls.length > 0);
    this.#writer.finish(finish, this.#stopReason);
  }
}

function indexOf(event: WireObject): number {
  return typeof event["index"] === "number" ? event["index"] : 0;
}

export function liftWholeAnthropic(body: unknown, request: ModelRequest): readonly Lifted[] {
  const message = objectIn(body);
  if (!Array.isArray(message["content"]) && !isSet(message["error"])) return emptyAnswer("content", body);
  return new AnthropicLift(request).whole(message);
}
