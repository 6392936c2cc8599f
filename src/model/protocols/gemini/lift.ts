import { parseJson } from "#foundation/text/json";
import type { ModelRequest } from "../../request.ts";
import type { Frame, Lift, Lifted } from "../protocol.ts";
import { EventWriter } from "../shared/event-writer.ts";
import { faultOf, malformedFrame, unfinished } from "../shared/fault.ts";
import { objectIn, objectsIn, textIn, type WireObject } from "../shared/fields.ts";
import { finishOf } from "../shared/finish.ts";
import { ReasoningTags } from "../shared/reasoning-tags.ts";
import { ToolInputs } from "../shared/tool-input.ts";
import { geminiUsage } from "../shared/usage.ts";

/** Responses of Gemini; a stream is several of the same shape. Calls come whole and without numbers. */
export class GeminiLift implements Lift {
  readonly #writer = new EventWriter();
  readonly #calls = new ToolInputs(this.#writer);
  readonly #tags = new ReasoningTags({
    leftOpen: () => this.#writer.leaveReasoningOpen(),
    text: (text) => this.#writer.text(text),
    reasoning: (text) => this.#writer.reasoning(text),
  });
  readonly #request: ModelRequest;
  #callCount = 0;
  #finish: string | undefined;
  #usage: unknown;

  constructor(request: ModelRequest) {
    this.#request = request;
  }

  step(frame: Frame): readonly Lifted[] {
    if (this.#writer.isOver) return this.#writer.take();
    const data = frame.data.trim();
    if (data === "" || data === "[DONE]") return this.#writer.take();
    const parsed = parseJson(data);
    if (parsed.ok) this.response(parsed.value, data);
    else this.#writer.fail(malformedFrame(parsed.message, data));
    return this.#writer.take();
  }

  end(): readonly Lifted[] {
    if (this.#writer.isOver) return this.#writer.take();
    this.#tags.end();
    if (this.#finish === undefined) this.#writer.fail(unfinished);
    else this.#complete(this.#finish);
    return this.#writer.take();
  }

  response(value: unknown, text: string): void {
    const outer = objectIn(Array.isArray(value) ? value[0] : value);
    // Code Assist wraps the response.
    const body = "response" in outer ? objectIn(outer["response"]) : outer;
    const error = outer["error"] ?? body["error"];
    if (error !== undefined && error !== null) {
      this.#writer.fail(faultOf({ error }, text));
      return;
    }
    this.#writer.start({ model: textIn(body["modelVersion"]), responseId: textIn(body["responseId"]) });
    if (body["usageMetadata"] !== undefined) this.#usage = body["usageMetadata"];
    const blocked = textIn(objectIn(body["promptFeedback"])["blockReason"]);
    if (blocked !== "") this.#finish = "SAFETY";
    const candidate = objectIn(objectsIn(body["candidates"])[0]);
    for (const part of objectsIn(objectIn(candidate["content"])["parts"])) this.#part(part);
    this.#finish = textIn(candidate["finishReason"]) || this.#finish;
  }

  #part(part: WireObject): void {
    const call = part["functionCall"];
    if (call !== undefined && call !== null) {
      this.#call(objectIn(call), part["thoughtSignature"]);
      return;
    }
    const text = textIn(part["text"]);
    if (part["thought"] === true) this.#writer.reasoning(text);
    else if (text !== "") this.#tags.push(text);
  }

  #call(call: WireObject, signature: unknown): void {
    const isSigned = typeof signature === "string" && signature !== "";
    this.#calls.add({
      index: this.#callCount,
      id: textIn(call["id"]),
      name: textIn(call["name"]),
      arguments: call["args"] ?? {},
      ...(isSigned ? { extraContent: { google: { thought_signature: signature } } } : {}),
    });
    this.#callCount += 1;
  }

  #complete(reason: string): void {
    const { calls } = this.#calls.finish({ wasCut: reason === "MAX_TOKENS", tools: this.#request.tools });
    this.#writer.usage(geminiUsage(this.#usage));
    this.#writer.finish(finishOf("gemini", reason, calls.length > 0), reason);
  }
}

export function liftWholeGemini(body: unknown, request: ModelRequest): readonly Lifted[] {
  const lift = new GeminiLift(request);
  const text = JSON.stringify(body) ?? "";
  lift.response(body, text);
  return lift.end();
}
