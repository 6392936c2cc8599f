import type { PlainDelta } from "../shared/fast-deltas.ts";
import { objectIn, type WireObject } from "../shared/fields.ts";

/** The text of a chunk that says nothing but this text. */
export function plainContent(chunk: unknown): PlainDelta | undefined {
  return onlyText(chunk, "content");
}

export function plainReasoning(chunk: unknown): PlainDelta | undefined {
  const plain = onlyText(chunk, "reasoning_content");
  return plain?.text === "" ? undefined : plain;
}

/** A piece of the arguments of one call that has begun before. */
export function plainArguments(chunk: unknown): PlainDelta | undefined {
  const delta = deltaOf(chunk, "tool_calls");
  const calls = delta?.["tool_calls"];
  if (!Array.isArray(calls) || calls.length !== 1) return undefined;
  const call = objectIn(calls[0]);
  const called = objectIn(call["function"]);
  if (!holdsOnly(call, ["index", "function", "type"]) || !holdsOnly(called, ["arguments"])) return undefined;
  const { index } = call;
  const text = called["arguments"];
  return typeof index === "number" && typeof text === "string" ? { text, index } : undefined;
}

function onlyText(chunk: unknown, field: string): PlainDelta | undefined {
  const text = deltaOf(chunk, field)?.[field];
  return typeof text === "string" ? { text } : undefined;
}

/** The delta of a chunk that has one choice, no usage, no end and no error, and in it no field but this one. */
function deltaOf(chunk: unknown, field: string): WireObject | undefined {
  const body = objectIn(chunk);
  const choices = body["choices"];
  if (!Array.isArray(choices) || choices.length !== 1) return undefined;
  if (isSet(body["usage"]) || isSet(body["error"]) || isSet(body["x_groq"])) return undefined;
  const choice = objectIn(choices[0]);
  if (isSet(choice["finish_reason"]) || isSet(choice["error"]) || isSet(choice["usage"])) return undefined;
  if (!isSet(choice["delta"])) return undefined;
  const delta = objectIn(choice["delta"]);
  return holdsOnly(delta, ["role", field]) ? delta : undefined;
}

/** Other fields may be there, but empty. */
function holdsOnly(object: WireObject, names: readonly string[]): boolean {
  for (const key of Object.keys(object))
    if (isSet(object[key]) && object[key] !== "" && !names.includes(key)) return false;
  return true;
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}
