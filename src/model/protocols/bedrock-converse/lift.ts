import { parseJson } from "#foundation/text/json";
import type { ModelRequest } from "../../request.ts";
import type { Frame, Lift, Lifted } from "../protocol.ts";
import { EventWriter } from "../shared/event-writer.ts";
import { faultOf, malformedFrame, unfinished } from "../shared/fault.ts";
import { objectIn, objectsIn, textIn, type WireObject } from "../shared/fields.ts";
import { finishOf } from "../shared/finish.ts";
import { ReasoningTags } from "../shared/reasoning-tags.ts";
import { ToolInputs } from "../shared/tool-input.ts";
import { bedrockUsage } from "../shared/usage.ts";

/** Events of Converse; the kind of an event stands in the frame, not in its text. Usage comes behind the end. */
export class ConverseLift implements Lift {
  readonly #writer = new EventWriter();
  readonly #calls = new ToolInputs(this.#writer);
  readonly #tags = new ReasoningTags({
    leftOpen: () => this.#writer.leaveReasoningOpen(),
    text: (text) => this.#writer.text(text),
    reasoning: (text) => this.#writer.reasoning(text),
  });
  readonly #request: ModelRequest;
  #stopReason: string | undefined;
  #usage: unknown;

  constructor(request: ModelRequest) {
    this.#request = request;
  }

  step(frame: Frame): readonly Lifted[] {
    if (this.#writer.isOver) return this.#writer.take();
    const data = frame.data.trim();
    const parsed = parseJson(data === "" ? "{}" : data);
    if (!parsed.ok) this.#writer.fail(malformedFrame(parsed.message, data));
    else this.#event(frame.event ?? "", objectIn(parsed.value), data);
    return this.#writer.take();
  }

  end(): readonly Lifted[] {
    if (this.#writer.isOver) return this.#writer.take();
    this.#tags.end();
    if (this.#stopReason === undefined) this.#writer.fail(unfinished);
    else this.#complete(this.#stopReason);
    return this.#writer.take();
  }

  whole(body: WireObject): readonly Lifted[] {
    this.#writer.start();
    const message = objectIn(objectIn(body["output"])["message"]);
    for (const [index, block] of objectsIn(message["content"]).entries()) this.#wholeBlock(index, block);
    this.#usage = body["usage"];
    this.#stopReason = textIn(body["stopReason"]) || "end_turn";
    return this.end();
  }

  #event(kind: string, event: WireObject, text: string): void {
    const index = typeof event["contentBlockIndex"] === "number" ? event["contentBlockIndex"] : 0;
    if (kind.startsWith("exception/")) {
      const code = kind.slice("exception/".length);
      this.#writer.fail({ ...faultOf({ error: event }, text), code });
      return;
    }
    switch (kind) {
      case "messageStart":
        this.#writer.start();
        return;
      case "contentBlockStart": {
        const use = objectIn(objectIn(event["start"])["toolUse"]);
        if (use["toolUseId"] !== undefined || use["name"] !== undefined)
          this.#calls.add({ index, id: textIn(use["toolUseId"]), name: textIn(use["name"]) });
        return;
      }
      case "contentBlockDelta":
        this.#delta(index, objectIn(event["delta"]));
        return;
      case "messageStop":
        this.#stopReason = textIn(event["stopReason"]) || "end_turn";
        return;
      case "metadata":
        this.#usage = event["usage"];
        return;
      default:
        return;
    }
  }

  #delta(index: number, delta: WireObject): void {
    const text = textIn(delta["text"]);
    if (text !== "") this.#tags.push(text);
    const use = delta["toolUse"];
    if (use !== undefined) this.#calls.add({ index, arguments: objectIn(use)["input"] });
    const thought = textIn(objectIn(delta["reasoningContent"])["text"]);
    if (thought !== "") this.#writer.reasoning(thought);
  }

  #wholeBlock(index: number, block: WireObject): void {
    const text = textIn(block["text"]);
    if (text !== "") this.#tags.push(text);
    const thought = textIn(objectIn(objectIn(block["reasoningContent"])["reasoningText"])["text"]);
    if (thought !== "") this.#writer.reasoning(thought);
    const use = block["toolUse"];
    if (use === undefined) return;
    const { toolUseId, name, input } = objectIn(use);
    this.#calls.add({ index, id: textIn(toolUseId), name: textIn(name), arguments: input ?? {} });
  }

  #complete(reason: string): void {
    const wasCut = reason === "max_tokens";
    const { calls, isTruncated } = this.#calls.finish({ wasCut, tools: this.#request.tools });
    this.#writer.usage(bedrockUsage(this.#usage));
    this.#writer.finish(isTruncated ? "length" : finishOf("bedrock", reason, calls.length > 0), reason);
  }
}

export function liftWholeConverse(body: unknown, request: ModelRequest): readonly Lifted[] {
  const answer = objectIn(body);
  if (answer["output"] === undefined)
    return [{ type: "stream-fault", ...faultOf({ error: answer }, (JSON.stringify(body) ?? "").slice(0, 2_000)) }];
  return new ConverseLift(request).whole(answer);
}
