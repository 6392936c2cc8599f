import { add, type Conversation, type ToolItem, without } from "./column.tsx";
import type { ChildFrame, ChildStep, Frame } from "./frames.tsx";

/** What is said about the turn beside its words. */
export function remark(state: Conversation, frame: Frame): Conversation {
  const say = (text: string, level: "info" | "warn" = "info"): Conversation =>
    add(state, (id) => ({ kind: "notice", id, level, text }));
  const tokens = (count: number): string => count.toLocaleString("en");
  switch (frame.type) {
    case "compression-start":
      return say(`Shortening the conversation (${frame.reason})`);
    case "compression-end":
      return say(`Shortened from ${tokens(frame.tokens_before)} to ${tokens(frame.tokens_after)} tokens`);
    case "target-change":
      return say(`Now answering: ${frame.model} (${frame.provider}). ${frame.reason}`, "warn");
    case "background-end": {
      const text = `**In the background: ${frame.prompt}**\n\n${frame.text}`;
      return add(state, (id) => ({ kind: "view", id, view: { kind: "markdown", text } }));
    }
    default:
      return state;
  }
}

/** One line for all attempts in a row, with where they stand. */
export function recovering(
  state: Conversation,
  { text, attempt }: Extract<Frame, { readonly type: "recovery-start" }>,
): Conversation {
  const counted = attempt === undefined ? text : `${text} (attempt ${attempt.number} of ${attempt.of})`;
  const last = state.items.at(-1);
  if (last?.kind === "notice" && last.isAttempt === true)
    return { ...state, items: state.items.with(-1, { ...last, text: counted }) };
  return add(state, (id) => ({ kind: "notice", id, level: "warn", text: counted, isAttempt: true }));
}

/** A child's question needs an answer like any other; what it does is a card that grows. */
export function childEvent(state: Conversation, { child_id, task, event }: ChildFrame): Conversation {
  switch (event.type) {
    case "approval-request":
    case "question-request":
    case "secret-request":
      return { ...state, requests: [...without(state.requests, event.id), event] };
    case "approval-response":
    case "question-response":
      return { ...state, requests: without(state.requests, event.id) };
    default: {
      const id = `child-${child_id}`;
      const index = state.items.findIndex((item) => item.id === id);
      const found = state.items[index];
      const fresh = {
        kind: "tool",
        id,
        name: "agent",
        preview: task,
        input: "",
        output: "",
        state: "running",
      } as const;
      const changed = childAfter(found?.kind === "tool" ? found : fresh, event);
      if (changed === found) return state;
      return { ...state, items: found === undefined ? [...state.items, changed] : state.items.with(index, changed) };
    }
  }
}

function childAfter(card: ToolItem, event: ChildStep): ToolItem {
  switch (event.type) {
    case "tool-start":
      return { ...card, output: `${card.output}${event.name} ${event.preview}\n`.slice(-100_000) };
    case "turn-end":
      return {
        ...card,
        output: `${card.output}${event.error ?? event.text}`,
        state: event.error === undefined ? "done" : "failed",
      };
    default:
      return card;
  }
}
