import type { CreateMessageRequestParams, CreateMessageResultWithTools } from "@modelcontextprotocol/client";
import { defined } from "#foundation/defined";
import type { Logger } from "#foundation/files/logger";
import { deadline, linkSignals, raceAbort } from "#foundation/lifecycle/abort";
import type { Clock } from "#foundation/time/clock";
import type { SampleMessage, SamplePart, SampleReply, SampleRequest } from "../contract/auxiliary.ts";
import type { McpServerSettings, SamplingSettings } from "../contract/mcp-settings.ts";
import type { Caller } from "./callers.ts";
import { type Consent, confirmSampling } from "./consent.ts";

export interface SamplingMetrics {
  readonly requests: number;
  readonly errors: number;
  readonly tokensUsed: number;
  readonly toolUses: number;
}

export interface SamplerDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** The session that is using the server now: its person is asked, and its model answers. */
  caller(): Caller | undefined;
}

const windowMs = 60_000;

/** Answers one server's requests for completions: so many a minute, so many tokens, only these models. */
export class Sampler {
  readonly #server: string;
  readonly #isTrusted: boolean;
  readonly #settings: SamplingSettings;
  readonly #deps: SamplerDeps;
  #startedAtMs: number[] = [];
  readonly #consents = new Map<string, Promise<Consent>>();
  #metrics: SamplingMetrics = { requests: 0, errors: 0, tokensUsed: 0, toolUses: 0 };

  constructor({ name, trust, sampling }: Pick<McpServerSettings, "name" | "trust" | "sampling">, deps: SamplerDeps) {
    this.#server = name;
    this.#isTrusted = trust === "trusted";
    this.#settings = sampling;
    this.#deps = deps;
  }

  get metrics(): SamplingMetrics {
    return this.#metrics;
  }

  async answer(params: CreateMessageRequestParams, signal: AbortSignal): Promise<CreateMessageResultWithTools> {
    this.#count({ requests: 1 });
    try {
      const request = this.#admit(params);
      const caller = this.#deps.caller();
      if (caller === undefined) throw new Error("no conversation, or more than one, is using this server now");
      const consent = await this.#consent(caller, signal);
      if (consent === "no") throw new Error("the user did not allow this server to ask the model");
      if (consent === "nobody") throw new Error("nobody can be asked here whether this server may ask the model");
      using limit = deadline(this.#settings.timeoutMs, "the completion took too long");
      const limited = linkSignals(signal, limit.signal);
      const reply = await raceAbort(caller.scope.auxiliary.sample(request, limited), limited);
      if (reply.kind === "unavailable") throw new Error(`no model can answer: ${reply.reason}`);
      const toolUses = reply.content.filter((part) => part.type === "tool_use").length;
      this.#count({ tokensUsed: reply.tokensUsed, toolUses });
      this.#deps.logger[this.#settings.logLevel]("MCP sampling answered", {
        server: this.#server,
        model: reply.model,
        tokensUsed: reply.tokensUsed,
        toolUses,
      });
      return toResult(reply);
    } catch (error) {
      this.#count({ errors: 1 });
      this.#deps.logger.warn("MCP sampling refused", {
        server: this.#server,
        error: error instanceof Error ? error.message : "",
      });
      throw error;
    }
  }

  #admit(params: CreateMessageRequestParams): SampleRequest {
    const nowMs = this.#deps.clock.now();
    this.#startedAtMs = this.#startedAtMs.filter((startedAtMs) => nowMs - startedAtMs < windowMs);
    if (this.#startedAtMs.length >= this.#settings.maxPerMinute) {
      throw new Error(`rate limit: at most ${this.#settings.maxPerMinute} completions a minute`);
    }
    this.#startedAtMs.push(nowMs);
    const model = this.#settings.model ?? params.modelPreferences?.hints?.find((hint) => hint.name !== undefined)?.name;
    const { allowedModels, maxToolRounds, maxTokensCap } = this.#settings;
    if (model !== undefined && allowedModels.length > 0 && !allowedModels.includes(model)) {
      throw new Error(`the model "${model}" is not among those this server may use`);
    }
    const messages = params.messages.map(readMessage);
    const rounds = messages.filter((message) => message.content.some((part) => part.type === "tool_use")).length;
    if (rounds > maxToolRounds) throw new Error(`at most ${maxToolRounds} rounds of tool use are allowed`);
    return {
      server: this.#server,
      ...defined({ model, system: params.systemPrompt }),
      messages,
      maxTokens: Math.min(params.maxTokens, maxTokensCap),
      ...defined({ temperature: params.temperature, stopSequences: params.stopSequences }),
      tools:
        maxToolRounds === 0
          ? []
          : (params.tools ?? []).map((tool) => ({
              name: tool.name,
              description: tool.description ?? "",
              parameters: tool.inputSchema,
            })),
    };
  }

  /** Once per server and conversation; a refusal stands. Where nobody could be asked, the next time counts anew. */
  async #consent(caller: Caller, signal: AbortSignal): Promise<Consent> {
    if (this.#isTrusted) return "yes";
    const name = caller.scope.key;
    using _hold = caller.hold();
    const asking =
      this.#consents.get(name) ??
      confirmSampling(this.#server, caller.scope.prompter, linkSignals(signal, caller.signal));
    this.#consents.set(name, asking);
    let isFinal = false;
    try {
      const consent = await asking;
      isFinal = consent !== "nobody";
      return consent;
    } finally {
      if (!isFinal) this.#consents.delete(name);
    }
  }

  /** What a session that has ended allowed is forgotten. */
  endSession(sessionKey: string): void {
    this.#consents.delete(sessionKey);
  }

  #count(more: Partial<SamplingMetrics>): void {
    const was = this.#metrics;
    this.#metrics = {
      requests: was.requests + (more.requests ?? 0),
      errors: was.errors + (more.errors ?? 0),
      tokensUsed: was.tokensUsed + (more.tokensUsed ?? 0),
      toolUses: was.toolUses + (more.toolUses ?? 0),
    };
  }
}

function readMessage(message: CreateMessageRequestParams["messages"][number]): SampleMessage {
  const blocks = Array.isArray(message.content) ? message.content : [message.content];
  return { role: message.role, content: blocks.map(readPart) };
}

type SamplingBlock = Exclude<CreateMessageRequestParams["messages"][number]["content"], readonly unknown[]>;

function readPart(block: SamplingBlock): SamplePart {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "image":
      return { type: "image", data: block.data, mimeType: block.mimeType };
    case "audio":
      return { type: "text", text: `[audio of type ${block.mimeType}, which the model cannot hear]` };
    case "tool_use":
      return { type: "tool_use", id: block.id, name: block.name, input: block.input };
    case "tool_result": {
      const text = block.content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
      return { type: "tool_result", toolUseId: block.toolUseId, text, isError: block.isError === true };
    }
  }
}

const stopReasons = { stop: "endTurn", length: "maxTokens", tool_calls: "toolUse" } as const;

function toResult(reply: Extract<SampleReply, { readonly kind: "reply" }>): CreateMessageResultWithTools {
  const blocks = reply.content.map((part) =>
    part.type === "text"
      ? { type: "text" as const, text: part.text }
      : { type: "tool_use" as const, id: part.id, name: part.name, input: { ...part.input } },
  );
  const [only] = blocks;
  const content = blocks.length === 1 && only !== undefined ? only : blocks;
  return { role: "assistant", model: reply.model, content, stopReason: stopReasons[reply.finish] };
}
