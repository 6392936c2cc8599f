import type { AgentEvent } from "#conversation";
import { defined } from "#foundation/defined";
import type { Clock } from "#foundation/time/clock";
import type { SessionEvent } from "../api.ts";
import { AgentTrace } from "./agent-trace.ts";
import { newSpanId, type SpanSink, traceOfTurn } from "./span.ts";

export interface SessionTracesDeps {
  readonly sink: SpanSink;
  readonly clock: Clock;
  /** The surface the session is held on. */
  readonly source: string;
}

type ChildEvent = Extract<AgentEvent, { readonly type: "child-event" }>;

/** Turns what a session tells into spans: a trace for each turn, with the work of its children in it. */
export class SessionTraces {
  readonly #deps: SessionTracesDeps;
  readonly #children = new Map<string, AgentTrace>();
  #turn: AgentTrace | undefined;
  #root: { readonly traceId: string; readonly spanId: string } | undefined;
  #words: string | undefined;

  constructor(deps: SessionTracesDeps) {
    this.#deps = deps;
  }

  note(event: SessionEvent): void {
    switch (event.type) {
      case "input-admitted":
        if (this.#deps.sink.includesContent) this.#words = event.text;
        break;
      case "turn-start":
        this.#started(event);
        break;
      case "child-event":
        this.#child(event);
        break;
      case "turn-end":
        this.#turn?.note(event);
        this.#turn = undefined;
        break;
      case "attempt-start":
      case "attempt-end":
      case "usage":
      case "recovery-start":
      case "tool-start":
      case "tool-end":
        this.#turn?.note(event);
        break;
      default:
        break;
    }
  }

  #started({ turnId, sessionId }: Extract<AgentEvent, { type: "turn-start" }>): void {
    this.#root = traceOfTurn(turnId);
    const attributes = {
      "gen_ai.conversation.id": sessionId,
      "hermes.turn.id": turnId,
      "hermes.source": this.#deps.source,
      ...defined({ "hermes.input": this.#words }),
    };
    this.#words = undefined;
    this.#turn = new AgentTrace({ ...this.#root, attributes }, this.#traceDeps);
  }

  /** A child may outlive the turn that started it; it stays in that turn's trace. */
  #child({ childId, child, event }: ChildEvent): void {
    if (event.type === "turn-start") {
      const { turnId, sessionId } = event;
      const attributes = {
        "gen_ai.conversation.id": sessionId,
        "hermes.turn.id": turnId,
        "hermes.child.id": childId,
        "hermes.child.depth": child?.depth ?? 1,
      };
      const { traceId, spanId: parentSpanId } = this.#root ?? traceOfTurn(turnId);
      const start = { traceId, spanId: newSpanId(), parentSpanId, attributes };
      this.#children.set(childId, new AgentTrace(start, this.#traceDeps));
      return;
    }
    this.#children.get(childId)?.note(event);
    if (event.type === "turn-end") this.#children.delete(childId);
  }

  get #traceDeps() {
    const { sink, clock } = this.#deps;
    return { sink, now: () => clock.now() };
  }
}
