import { isRecord } from "#foundation/text/json";
import type { SessionEvent } from "../api.ts";
import { eventShapes, wireVersion } from "./events.ts";
import { WireError } from "./shape.ts";

const types = [
  "tool-start",
  "tool-end",
  "approval-request",
  "approval-response",
  "question-request",
  "question-response",
  "notice",
] as const;

/** What another Hermes tells of a turn it does, beside the words of the answer. */
export type RelayedEvent = Extract<SessionEvent, { readonly type: (typeof types)[number] }>;

export function isRelayed(event: SessionEvent): event is RelayedEvent {
  return types.some((type) => type === event.type);
}

/** One of those, from the wire form. Undefined for anything else: the other Hermes may be a newer one. */
export function readRelayed(value: unknown): RelayedEvent | undefined {
  const type = isRecord(value) && value["v"] === wireVersion ? value["type"] : undefined;
  const known = types.find((one) => one === type);
  if (!isRecord(value) || known === undefined) return undefined;
  const shape = eventShapes[known];
  const fields = Object.fromEntries(Object.entries(value).filter(([name]) => Object.hasOwn(shape.fields, name)));
  try {
    return { type: known, ...shape.read(fields, "") } as RelayedEvent;
  } catch (error) {
    if (error instanceof WireError) return undefined;
    throw error;
  }
}
