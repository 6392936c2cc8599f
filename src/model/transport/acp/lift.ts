import type { FinishReason, Usage } from "#conversation";
import type { Lifted } from "../../protocols/protocol.ts";
import { EventWriter } from "../../protocols/shared/event-writer.ts";
import { countIn, objectIn, textIn, type WireObject } from "../../protocols/shared/fields.ts";
import { ToolInputs } from "../../protocols/shared/tool-input.ts";
import type { ModelRequest } from "../../request.ts";
import { getParser } from "../../tool-call-parsers/registry.ts";
import { ParserStream } from "../../tool-call-parsers/stream.ts";

const finishes: Readonly<Record<string, FinishReason>> = {
  end_turn: "stop",
  max_tokens: "length",
  max_turn_requests: "incomplete",
  refusal: "content_filter",
};

/** What an agent tells while it works, to the events of any other answer; calls stand in its text. */
export class AcpLift {
  readonly #writer = new EventWriter();
  readonly #calls = new ToolInputs(this.#writer);
  readonly #request: ModelRequest;
  readonly #text: ParserStream;
  #shownLength = 0;

  constructor(request: ModelRequest) {
    this.#request = request;
    this.#text = new ParserStream(getParser("hermes"), { tools: request.tools });
  }

  start(facts: { readonly model: string; readonly responseId: string }): readonly Lifted[] {
    this.#writer.start(facts);
    return this.#writer.take();
  }

  /** Plans, commands and tool reports of the agent are its own affair. */
  update(update: WireObject): readonly Lifted[] {
    const text = textIn(objectIn(update["content"])["text"]);
    if (update["sessionUpdate"] === "agent_thought_chunk") this.#writer.reasoning(text);
    else if (update["sessionUpdate"] === "agent_message_chunk") this.#show(this.#text.push(text));
    return this.#writer.take();
  }

  /** The answer to the prompt: the turn is over. */
  end(result: WireObject): readonly Lifted[] {
    const reason = textIn(result["stopReason"]);
    const finish = Object.hasOwn(finishes, reason) ? finishes[reason] : undefined;
    if (finish === undefined) {
      this.#writer.fail({ message: `the agent stopped: ${reason.slice(0, 100) || "no reason given"}`, body: "" });
      return this.#writer.take();
    }
    const wasCut = finish === "length";
    const { content, tool_calls: found } = this.#text.end(wasCut ? "length" : undefined);
    if (found === null) this.#show((content ?? "").slice(this.#shownLength));
    for (const [index, { id, function: called }] of (found ?? []).entries())
      this.#calls.add({ index, id, name: called.name, arguments: called.arguments });
    const { calls } = this.#calls.finish({ wasCut, tools: this.#request.tools });
    this.#writer.usage(usageOf(objectIn(result["usage"])));
    this.#writer.finish(finish === "stop" && calls.length > 0 ? "tool_calls" : finish, reason);
    return this.#writer.take();
  }

  #show(text: string): void {
    this.#shownLength += text.length;
    this.#writer.text(text);
  }
}

/** Few agents count; the names are those of the protocol's draft. */
function usageOf(supplied: WireObject): Usage | undefined {
  const usage: Usage = {
    input: countIn(supplied["inputTokens"]),
    output: countIn(supplied["outputTokens"]),
    cacheRead: countIn(supplied["cachedReadTokens"]),
    cacheWrite: countIn(supplied["cachedWriteTokens"]),
    reasoning: countIn(supplied["thoughtTokens"]),
  };
  return usage.input + usage.output === 0 ? undefined : usage;
}
