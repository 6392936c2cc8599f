import type { AgentEvent, ExitReason } from "#conversation";
import { toJsonText } from "#foundation/text/json";
import { type AttributeValue, newSpanId, type SpanSink } from "./span.ts";

export interface AgentTraceStart {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string | undefined;
  readonly attributes: Readonly<Record<string, AttributeValue>>;
}

export interface AgentTraceDeps {
  readonly sink: SpanSink;
  now(): number;
}

interface OpenSpan {
  readonly spanId: string;
  readonly name: string;
  readonly startMs: number;
  readonly attributes: Record<string, AttributeValue>;
  endMs?: number;
  error?: string;
}

/** Ends of a turn that are nobody's failure. */
const fineEnds: ReadonlySet<ExitReason> = new Set<ExitReason>([
  "text_response",
  "interrupted_by_user",
  "interrupted_during_api_call",
  "interrupted_during_retry",
]);

/**
 * One turn of one agent: a span for the turn, and below it one for each attempt and each call of a tool. An attempt is
 * told of when the next thing begins, since its usage and what was wrong with it are known only after it ended.
 */
export class AgentTrace {
  readonly #start: AgentTraceStart;
  readonly #deps: AgentTraceDeps;
  readonly #turn: OpenSpan;
  readonly #tools = new Map<string, OpenSpan>();
  #attempt: OpenSpan | undefined;

  constructor(start: AgentTraceStart, deps: AgentTraceDeps) {
    this.#start = start;
    this.#deps = deps;
    const attributes = { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "hermes", ...start.attributes };
    this.#turn = { spanId: start.spanId, name: "invoke_agent hermes", startMs: deps.now(), attributes };
  }

  note(event: AgentEvent): void {
    switch (event.type) {
      case "attempt-start":
        this.#attemptStarted(event);
        break;
      case "attempt-end":
        if (this.#attempt !== undefined) this.#attempt.endMs = this.#deps.now();
        break;
      case "usage":
        this.#counted(event);
        break;
      case "recovery-start":
        // What a provider wrote follows the colon; it may repeat words of the conversation.
        if (this.#attempt !== undefined) this.#attempt.error = event.problem.split(":")[0] ?? "failed";
        this.#tellAttempt();
        break;
      case "tool-start":
        this.#toolStarted(event);
        break;
      case "tool-end":
        this.#toolEnded(event);
        break;
      case "turn-end":
        this.#ended(event);
        break;
      default:
        break;
    }
  }

  #attemptStarted({ provider, model }: Extract<AgentEvent, { type: "attempt-start" }>): void {
    this.#tellAttempt();
    this.#attempt = this.#open(`chat ${model}`, {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": provider,
      "gen_ai.request.model": model,
    });
  }

  #counted({ usage, cost }: Extract<AgentEvent, { type: "usage" }>): void {
    if (this.#attempt === undefined) return;
    this.#attempt.attributes["gen_ai.usage.input_tokens"] = usage.input;
    this.#attempt.attributes["gen_ai.usage.output_tokens"] = usage.output;
    if (cost.usd !== undefined) this.#attempt.attributes["hermes.cost_usd"] = cost.usd;
  }

  #toolStarted({ callId, name, args }: Extract<AgentEvent, { type: "tool-start" }>): void {
    this.#tellAttempt();
    const span = this.#open(`execute_tool ${name}`, {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": name,
      "gen_ai.tool.call.id": callId,
    });
    if (this.#deps.sink.includesContent) span.attributes["gen_ai.tool.call.arguments"] = toJsonText(args);
    this.#tools.set(callId, span);
  }

  #toolEnded({ callId, isError, result }: Extract<AgentEvent, { type: "tool-end" }>): void {
    const span = this.#tools.get(callId);
    if (span === undefined) return;
    this.#tools.delete(callId);
    if (isError) span.error = "tool_error";
    if (this.#deps.sink.includesContent && result !== undefined) span.attributes["gen_ai.tool.call.result"] = result;
    this.#tell(span, "internal");
  }

  #ended({ exitReason, text }: Extract<AgentEvent, { type: "turn-end" }>): void {
    const hasFailed = !fineEnds.has(exitReason);
    if (hasFailed && this.#attempt !== undefined) this.#attempt.error ??= exitReason;
    this.#tellAttempt();
    for (const span of this.#tools.values()) this.#tell({ ...span, error: "unfinished" }, "internal");
    this.#tools.clear();
    this.#turn.attributes["hermes.exit_reason"] = exitReason;
    if (this.#deps.sink.includesContent) this.#turn.attributes["hermes.output"] = text;
    if (hasFailed) this.#turn.error = exitReason;
    this.#tell(this.#turn, "internal");
  }

  #open(name: string, attributes: Record<string, AttributeValue>): OpenSpan {
    return { spanId: newSpanId(), name, startMs: this.#deps.now(), attributes };
  }

  #tellAttempt(): void {
    if (this.#attempt !== undefined) this.#tell(this.#attempt, "client");
    this.#attempt = undefined;
  }

  #tell(span: OpenSpan, kind: "internal" | "client"): void {
    const { traceId, spanId, parentSpanId } = this.#start;
    const endMs = span.endMs ?? this.#deps.now();
    this.#deps.sink.add({ ...span, endMs, kind, traceId, parentSpanId: span === this.#turn ? parentSpanId : spanId });
  }
}
