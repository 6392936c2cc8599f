import type { SessionEvent } from "../api.ts";
import {
  anything,
  figure,
  flag,
  list,
  object,
  oneOf,
  optional,
  orNull,
  type Shape,
  text,
  union,
  whole,
} from "./shape.ts";

/** The version of the wire form. A field that is added does not change it; one that goes or means something else does. */
export const wireVersion = 1;

/** An event as it leaves the program. */
export interface WireEvent {
  readonly v: typeof wireVersion;
  /** Grows by one with every event of the session; what a reader that comes back names as the last it has. */
  readonly seq: number;
  /** When it was written, ISO 8601. */
  readonly at: string;
  readonly session_id: string;
  readonly type: SessionEvent["type"];
  readonly [field: string]: unknown;
}

export interface WireIds {
  readonly sessionId: string;
  readonly seq: number;
  readonly atMs: number;
}

/** One event as JSON. What no shape names stays in the program: provider blocks, forms for requests, key sources. */
export function toWire(event: SessionEvent, { sessionId, seq, atMs }: WireIds): WireEvent {
  const fields = eventShapes[event.type].write(event) as Readonly<Record<string, unknown>>;
  return { v: wireVersion, seq, at: new Date(atMs).toISOString(), session_id: sessionId, type: event.type, ...fields };
}

const words = text();
const names = list(words);
const choice = oneOf("once", "folder", "session", "always", "deny");
const usage = object({
  input: whole(),
  output: whole(),
  cache_read: whole(),
  cache_write: whole(),
  reasoning: whole(),
  is_estimated: optional(flag),
});
const cost = object({
  status: oneOf("actual", "estimated", "included", "unknown"),
  source: words,
  usd: optional(figure),
  billing_mode: optional(words),
});
const toolCall = object({
  id: words,
  type: oneOf("function"),
  function: object({ name: words, arguments: words }),
});
const message = object({
  role: oneOf("assistant"),
  uid: optional(words),
  content: words,
  tool_calls: optional(list(toolCall)),
  reasoning: optional(orNull(words)),
  finish_reason: optional(words),
});
const toolset = object({ name: words, tools: names, unavailable: list(object({ name: words, reason: words })) });
const info = object({
  id: words,
  root_id: words,
  title: optional(words),
  source: words,
  model: words,
  provider: words,
  provider_label: words,
  is_demo: flag,
  context_window: whole(),
  context_tokens: whole(),
  usage,
  cost: optional(cost),
  cwd: words,
  started_at_ms: whole(),
  toolsets: list(toolset),
  skill_count: whole(),
  is_yolo: flag,
  is_planning: flag,
  is_busy: flag,
  queued: names,
  fallback_active: flag,
});
const child = object({
  parent_id: optional(words),
  depth: whole(),
  task_index: whole(),
  task_count: whole(),
  goal: words,
  model: words,
  toolsets: names,
  tool_count: whole(),
});
const milestone = union("kind", {
  "spawn-requested": {},
  start: {},
  progress: { last_tools: names },
  complete: {
    status: oneOf("completed", "failed", "interrupted", "timeout", "error"),
    summary: words,
    tokens: object({ input: whole(), output: whole() }),
    cost: optional(cost),
    api_calls: whole(),
    duration_ms: figure,
    files_read: names,
    files_written: names,
    outputs: names,
  },
});
const details = union("kind", {
  command: { exit_code: optional(figure), process_id: optional(words), is_refused: optional(flag) },
  files: { read: optional(names), changed: optional(names) },
  todos: { todos: list(object({ id: words, content: words, status: words })) },
  notes: { target: words, outcome: oneOf("saved", "unchanged", "waiting", "full", "refused") },
  skill: { name: words, action: words, message: words },
  children: { children: list(object({ id: words, status: words })) },
});
const requests = {
  "approval-request": {
    id: words,
    call_id: optional(words),
    tool: words,
    summary: words,
    reasons: names,
    choices: list(choice),
    scopes: optional(
      object({
        once: optional(words),
        folder: optional(words),
        session: optional(words),
        always: optional(words),
        deny: optional(words),
      }),
    ),
    lines: optional(list(whole())),
    is_destructive: flag,
  },
  "question-request": { id: words, question: words, choices: names },
  "secret-request": { id: words, what: oneOf("sudo", "secret"), prompt: words, variable: optional(words) },
};

/** An event inside another, without numbers of its own. */
const nested: Shape = {
  schema: { $ref: "#/$defs/event" },
  read: anything.read,
  write: (event) => {
    const { type } = event as SessionEvent;
    return { type, ...(eventShapes[type].write(event) as object) };
  },
};

/** The fields of every event. */
export const eventShapes = {
  "turn-start": object({ turn_id: words }),
  "step-start": object({ step: whole(), limit: whole() }),
  "attempt-start": object({ provider: words, model: words }),
  "attempt-end": object({}),
  "text-delta": object({ text: words }),
  "text-end": object({}),
  "reasoning-delta": object({ text: words }),
  "tool-input-start": object({ call_id: words, name: words }),
  "message-end": object({ message, was_streamed: flag }),
  "tool-start": object({ call_id: words, name: words, args: optional(anything), preview: words }),
  "tool-update": object({ call_id: words, text: words }),
  "tool-end": object({
    call_id: words,
    name: words,
    is_error: flag,
    duration_ms: figure,
    preview: words,
    diff: optional(words),
    details: optional(details),
    result: optional(words),
  }),
  "approval-request": object(requests["approval-request"]),
  "approval-response": object({ id: words, choice }),
  "question-request": object(requests["question-request"]),
  "question-response": object({ id: words, answer: words }),
  "recovery-start": object({
    remedy: words,
    problem: words,
    wait_ms: figure,
    provider: optional(words),
    attempt: optional(object({ number: whole(), of: whole() })),
  }),
  "compression-start": object({ reason: words, tokens: figure }),
  "compression-end": object({ tokens_before: figure, tokens_after: figure }),
  usage: object({ usage, cost, context_tokens: whole(), context_window: whole() }),
  "target-change": object({ provider: words, model: words, reason: words }),
  "input-admitted": object({ message_id: words, text: words }),
  notice: object({ level: oneOf("info", "warn", "error"), text: words }),
  activity: object({ text: words, tool: optional(words), step: whole(), limit: whole() }),
  "child-event": object({
    child_id: words,
    task: words,
    event: nested,
    child: optional(child),
    milestone: optional(milestone),
  }),
  "turn-end": object({ exit_reason: words, text: words, error: optional(words) }),
  "session-changed": object({ info }),
  "queue-changed": object({ queued: names }),
  resync: object({ info, turn_id: optional(words), text: words, requests: list(union("type", requests)) }),
  "secret-request": object(requests["secret-request"]),
  "background-start": object({ id: words, prompt: words }),
  "background-end": object({ id: words, prompt: words, text: words }),
} satisfies Readonly<Record<SessionEvent["type"], Shape>>;
