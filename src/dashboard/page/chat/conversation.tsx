import { add, type Conversation, type Item, type ToolItem, without } from "./column.tsx";
import type { Frame, HistoryMessage, SurfaceAction } from "./frames.tsx";
import { childEvent, recovering, remark } from "./remarks.tsx";

/** The conversation after something came over the socket. Pure. */
export function reduce(state: Conversation, frame: Frame): Conversation {
  const next = "seq" in frame ? { ...state, seq: frame.seq } : state;
  switch (frame.type) {
    case "history":
      return { ...next, items: itemsOf(frame), earlier: frame.earlier, requests: [] };
    case "resync": {
      const { info, text, turn_id, requests } = frame;
      const isBusy = turn_id !== undefined;
      const items = isBusy ? next.items : next.items.map(cutOff);
      const synced = { ...next, items, info, isBusy, requests, queued: info.queued };
      return text === "" ? synced : add(synced, (id) => ({ kind: "assistant", id, text, reasoning: "", isOpen: true }));
    }
    case "session-changed":
      return { ...next, info: frame.info, queued: frame.info.queued };
    case "turn-start":
      return { ...next, isBusy: true };
    case "turn-end":
      return endTurn(next, frame);
    case "input-admitted":
      return admitted(next, frame);
    case "text-delta":
      return write(next, { text: frame.text });
    case "reasoning-delta":
      return write(next, { reasoning: frame.text });
    case "message-end":
      return endMessage(next, frame.message);
    case "tool-start":
    case "tool-update":
    case "tool-end":
      return toolEvent(next, frame);
    case "approval-request":
    case "question-request":
    case "secret-request":
      return { ...next, requests: [...without(next.requests, frame.id), frame] };
    case "approval-response":
    case "question-response":
      return { ...next, requests: without(next.requests, frame.id) };
    case "notice":
      return add(next, (id) => ({ kind: "notice", id, level: frame.level, text: frame.text }));
    case "recovery-start":
      return recovering(next, frame);
    case "child-event":
      return childEvent(next, frame);
    case "queue-changed":
      return { ...next, queued: frame.queued };
    case "usage":
      return next.info === undefined ? next : { ...next, info: { ...next.info, context_tokens: frame.context_tokens } };
    case "reply":
      return replied(next, frame);
    default:
      return remark(next, frame);
  }
}

/** Messages that lie before those that are shown. */
export function prepend(state: Conversation, earlier: number, messages: readonly HistoryMessage[]): Conversation {
  return { ...state, earlier, items: [...itemsOf({ earlier, messages }), ...state.items] };
}

export function answered(state: Conversation, requestId: string): Conversation {
  return { ...state, requests: without(state.requests, requestId) };
}

const hasItem = (state: Conversation, id: string): boolean => state.items.some((item) => item.id === id);

/** Appends to the reply that is being written; begins one where none is. */
function write(state: Conversation, piece: { readonly text?: string; readonly reasoning?: string }): Conversation {
  const last = state.items.at(-1);
  const { text = "", reasoning = "" } = piece;
  if (last?.kind !== "assistant" || !last.isOpen)
    return add(state, (id) => ({ kind: "assistant", id, text, reasoning, isOpen: true }));
  const grown = { ...last, text: last.text + text, reasoning: last.reasoning + reasoning };
  return { ...state, items: [...state.items.slice(0, -1), grown] };
}

/** The words of a person, with the images that this page sent with them. */
function admitted(
  state: Conversation,
  { message_id: id, text }: Extract<Frame, { readonly type: "input-admitted" }>,
): Conversation {
  if (hasItem(state, id)) return state;
  const sent = state.sending.find((one) => one.text.trim() === text.trim());
  const sending = state.sending.filter((one) => one !== sent);
  return { ...state, sending, items: [...state.items, { kind: "user", id, text, images: sent?.images ?? [] }] };
}

function endMessage(
  state: Conversation,
  message: { readonly uid?: string; readonly content: string; readonly reasoning?: string | null },
): Conversation {
  const reasoning = message.reasoning ?? "";
  // The transcript that was read a moment ago held it already.
  if (message.uid !== undefined && hasItem(state, message.uid))
    return { ...state, items: state.items.filter((item) => item.kind !== "assistant" || !item.isOpen) };
  const index = state.items.findLastIndex((item) => item.kind === "assistant" && item.isOpen);
  const open = state.items[index];
  if (open?.kind === "assistant") {
    const whole: Item = { ...open, text: message.content, reasoning: reasoning || open.reasoning, isOpen: false };
    return { ...state, items: state.items.with(index, whole) };
  }
  if (message.content === "" && reasoning === "") return state;
  return add(state, (id) => ({ kind: "assistant", id, text: message.content, reasoning, isOpen: false }));
}

/** What nobody works at any more. */
function cutOff(item: Item): Item {
  if (item.kind === "assistant" && item.isOpen) return { ...item, isOpen: false };
  return item.kind === "tool" && item.state === "running" ? { ...item, state: "cut" } : item;
}

function endTurn(state: Conversation, { error }: { readonly error?: string }): Conversation {
  const ended = { ...state, items: state.items.map(cutOff), isBusy: false, requests: [] };
  if (error === undefined || error === "") return ended;
  return add(ended, (id) => ({ kind: "notice", id, level: "error", text: error }));
}

function toolEvent(state: Conversation, frame: ToolFrame): Conversation {
  const index = state.items.findLastIndex((item) => item.kind === "tool" && item.id === frame.call_id);
  const found = state.items[index];
  const tool: ToolItem =
    found?.kind === "tool"
      ? found
      : { kind: "tool", id: frame.call_id, name: "", preview: "", input: "", output: "", state: "running" };
  const changed = toolAfter(tool, frame);
  return { ...state, items: found === undefined ? [...state.items, changed] : state.items.with(index, changed) };
}

type ToolFrame = Extract<Frame, { readonly type: "tool-start" | "tool-update" | "tool-end" }>;

function toolAfter(tool: ToolItem, frame: ToolFrame): ToolItem {
  if (frame.type === "tool-update") return { ...tool, output: `${tool.output}${frame.text}`.slice(-100_000) };
  if (frame.type === "tool-start") {
    const input = frame.args === undefined ? tool.input : JSON.stringify(frame.args, null, 2);
    return { ...tool, name: frame.name, preview: frame.preview, input, state: "running" };
  }
  const { name, preview, diff, result, duration_ms: durationMs } = frame;
  const output = result ?? (tool.output === "" ? preview : tool.output);
  return { ...tool, name, diff, output, durationMs, state: frame.is_error ? "failed" : "done" };
}

function replied(state: Conversation, frame: Extract<Frame, { readonly type: "reply" }>): Conversation {
  if (frame.kind === "refused")
    return add(state, (id) => ({ kind: "notice", id, level: "error", text: frame.message }));
  if (frame.kind !== "command") return state;
  const { view } = frame;
  if (view.kind === "nothing" || view.kind === "turn") return state;
  if (view.kind === "surface") return acted(state, view.action);
  return add(state, (id) => ({ kind: "view", id, view }));
}

/** Done by `surface-actions.ts`; the others belong to a terminal. */
const doneByPage: ReadonlySet<string> = new Set(["switch-session", "copy"]);

/** What becomes of the column. */
function acted(state: Conversation, { do: what }: SurfaceAction): Conversation {
  if (what === "clear-screen") return { ...state, items: [] };
  if (doneByPage.has(what)) return state;
  return add(state, (id) => ({ kind: "notice", id, level: "info", text: "This command works in the terminal only." }));
}

/** The transcript as items: each result at the call it answers. */
export function itemsOf({
  earlier,
  messages,
}: {
  readonly earlier: number;
  readonly messages: readonly HistoryMessage[];
}): readonly Item[] {
  const results = new Map(messages.flatMap((one) => (one.call_id === undefined ? [] : [[one.call_id, one] as const])));
  return messages.flatMap((message, index): readonly Item[] => {
    const id = message.id ?? `row-${earlier + index}`;
    if (message.role === "user") return [{ kind: "user", id, text: message.text, images: message.images ?? [] }];
    if (message.role === "tool") return [];
    const { text, reasoning = "", calls = [] } = message;
    const words: readonly Item[] =
      text === "" && reasoning === "" ? [] : [{ kind: "assistant", id, text, reasoning, isOpen: false }];
    return [...words, ...calls.map((call) => pastCall(call, results.get(call.id)))];
  });
}

function pastCall(
  call: { readonly id: string; readonly name: string; readonly arguments: string },
  result: HistoryMessage | undefined,
): ToolItem {
  return {
    kind: "tool",
    id: call.id,
    name: call.name,
    preview: previewOf(call.arguments),
    input: call.arguments,
    output: result?.text ?? "",
    state: result === undefined ? "running" : "done",
  };
}

const telling = ["command", "path", "query", "url", "goal", "question", "prompt", "name"];

/** What a call is about, by the argument that says most. */
function previewOf(written: string): string {
  const args = parsed(written);
  const texts = Object.values(args).filter((value) => typeof value === "string");
  const told = telling.map((name) => args[name]).find((value) => typeof value === "string") ?? texts[0];
  return (typeof told === "string" ? told : written).slice(0, 120);
}

function parsed(written: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(written);
    return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  } catch {
    // A call that was cut short.
    return {};
  }
}
