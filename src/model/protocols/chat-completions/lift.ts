import { parseJson } from "#foundation/text/json";
import type { ModelRequest } from "../../request.ts";
import type { Frame, Lift, Lifted } from "../protocol.ts";
import { EventWriter } from "../shared/event-writer.ts";
import { emptyAnswer, faultOf, malformedFrame, unfinished } from "../shared/fault.ts";
import { flatText, isSet, objectIn, objectsIn, textIn, type WireObject } from "../shared/fields.ts";
import { finishOf } from "../shared/finish.ts";
import { ReasoningTags } from "../shared/reasoning-tags.ts";
import { ToolInputs } from "../shared/tool-input.ts";
import { chatUsage } from "../shared/usage.ts";
import { ReasoningDetails } from "./reasoning-details.ts";

/** Chunks of a chat completion to events; a whole completion is one chunk with `message` for `delta`. */
export class ChatLift implements Lift {
  readonly #writer = new EventWriter();
  readonly #calls = new ToolInputs(this.#writer);
  readonly #details = new ReasoningDetails();
  readonly #tags: ReasoningTags;
  readonly #request: ModelRequest;
  /** The provider has a field for reasoning: what stands between tags is a repetition. */
  #hasStructured = false;
  #reasoningContent: string | undefined;
  #finish: string | undefined;
  #usage: unknown;
  #isDone = false;

  constructor(request: ModelRequest) {
    this.#request = request;
    this.#tags = new ReasoningTags({
      leftOpen: () => this.#writer.leaveReasoningOpen(),
      text: (text) => this.#writer.text(text),
      reasoning: (text) => {
        if (!this.#hasStructured) this.#writer.reasoning(text);
      },
    });
  }

  step(frame: Frame): readonly Lifted[] {
    if (this.#writer.isOver) return this.#writer.take();
    const data = frame.data.trim();
    if (data === "") return this.#writer.take();
    if (data === "[DONE]") {
      this.#isDone = true;
      return this.end();
    }
    const parsed = parseJson(data);
    const { workEvent } = this.#request.target.quirks;
    if (parsed.ok && workEvent !== undefined && frame.event === workEvent)
      return [...this.#writer.take(), { type: "relayed", event: parsed.value }];
    if (parsed.ok) this.chunk(parsed.value, data);
    else this.#writer.fail(malformedFrame(parsed.message, data));
    return this.#writer.take();
  }

  end(): readonly Lifted[] {
    if (this.#writer.isOver) return this.#writer.take();
    this.#tags.end();
    if (!this.#isDone && this.#finish === undefined) {
      this.#writer.fail(unfinished);
      return this.#writer.take();
    }
    this.#complete();
    return this.#writer.take();
  }

  /** Takes one parsed chunk. */
  chunk(value: unknown, text: string): void {
    const body = objectIn(value);
    const choice = objectsIn(body["choices"])[0];
    if (body["error"] !== undefined && body["error"] !== null) {
      this.#writer.fail(faultOf(body, text));
      return;
    }
    if (choice?.["error"] !== undefined && choice["error"] !== null) {
      this.#writer.fail(faultOf(choice, text));
      return;
    }
    this.#writer.start({ model: textIn(body["model"]), responseId: textIn(body["id"]) });
    if (body["usage"] !== undefined && body["usage"] !== null) this.#usage = body["usage"];
    if (choice === undefined) return;
    // Groq puts usage under its own name; Moonshot puts it on the choice.
    const inner = objectIn(body["x_groq"])["usage"] ?? choice["usage"];
    if (inner !== undefined && inner !== null) this.#usage = inner;
    this.#delta(objectIn(choice["delta"] ?? choice["message"]));
    const finish = choice["finish_reason"];
    if (typeof finish === "string" && finish !== "") {
      this.#finish = finish;
      if (finish === "error") this.#writer.fail(faultOf(body, text));
    }
  }

  #delta(delta: WireObject): void {
    this.#reasoning(delta);
    const content = delta["content"];
    if (typeof content === "string") {
      if (content !== "") this.#tags.push(content);
    } else if (content !== undefined && content !== null) this.#content(content);
    const refusal = delta["refusal"];
    if (typeof refusal === "string" && refusal !== "") this.#tags.push(refusal);
    for (const call of objectsIn(delta["tool_calls"])) {
      const called = objectIn(call["function"]);
      this.#calls.add({
        index: typeof call["index"] === "number" ? call["index"] : undefined,
        id: textIn(call["id"]),
        name: textIn(called["name"]),
        arguments: called["arguments"],
        extraContent: call["extra_content"],
      });
    }
    // The way of calling before `tool_calls`; some servers still have it.
    const old = objectIn(delta["function_call"]);
    if (old["name"] !== undefined || old["arguments"] !== undefined)
      this.#calls.add({ index: 0, name: textIn(old["name"]), arguments: old["arguments"] });
  }

  /** Content as an object or a list; Mistral puts thinking parts into it. */
  #content(content: unknown): void {
    for (const part of Array.isArray(content) ? content : [content]) {
      const block = objectIn(part);
      if (block["type"] === "thinking") {
        this.#hasStructured = true;
        this.#writer.reasoning(flatText(block["thinking"]));
      } else this.#tags.push(flatText(part));
    }
  }

  #reasoning(delta: WireObject): void {
    const content = delta["reasoning_content"];
    if (typeof content === "string") this.#reasoningContent = (this.#reasoningContent ?? "") + content;
    const details = objectsIn(delta["reasoning_details"]);
    for (const detail of details) this.#details.add(detail);
    const plain = delta["reasoning"];
    const told = [content, plain, ReasoningDetails.textOf(details)].find(
      (one): one is string => typeof one === "string" && one !== "",
    );
    if (told === undefined) return;
    this.#hasStructured = true;
    this.#writer.reasoning(told);
  }

  #complete(): void {
    const wasCut = this.#finish === "length";
    const { calls, isTruncated } = this.#calls.finish({ wasCut, tools: this.#request.tools });
    if (this.#reasoningContent !== undefined)
      this.#writer.add({ type: "opaque", field: "reasoning_content", value: this.#reasoningContent });
    if (!this.#details.isEmpty)
      this.#writer.add({ type: "opaque", field: "reasoning_details", value: this.#details.whole() });
    const cost = objectIn(this.#usage)["cost"];
    this.#writer.usage(chatUsage(this.#usage), typeof cost === "number" ? cost : undefined);
    const finish = isTruncated ? "length" : finishOf("chat", this.#finish, calls.length > 0);
    this.#writer.finish(finish, this.#finish);
  }
}

export function liftWholeChat(body: unknown, request: ModelRequest): readonly Lifted[] {
  const lift = new ChatLift(request);
  const choice = objectsIn(objectIn(body)["choices"])[0];
  if (choice === undefined && !isSet(objectIn(body)["error"])) return emptyAnswer("choice", body);
  lift.chunk(body, JSON.stringify(body));
  // A whole answer is complete, whether or not it says how it finished.
  return lift.step({ event: undefined, data: "[DONE]" });
}
