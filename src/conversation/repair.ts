import { defined } from "#foundation/defined";
import { type Content, type ContentPart, isEmptyContent, textPart } from "./content.ts";
import { type AssistantMessage, callsOf, type Message, type ToolMessage, toolMessage } from "./message.ts";
import type { ToolCall } from "./tool-call.ts";

/**
 * Makes any message list one that a strict provider accepts, for the request copy only: what is
 * stored is never touched. Linear in the number of messages. Rules, in order:
 *
 * 1. Messages of unknown roles go.
 * 2. Results that answer no call go, and so do second results for one call.
 * 3. A result that is out of place moves behind its assistant message.
 * 4. A call without a result gets one that says so.
 * 5. User messages in a row become one; so do assistant messages, where only the last may hold calls.
 * 6. Empty user and tool contents get a placeholder.
 * 7. A call id used again later in the list gets a number, with its result: some providers give the
 *    same id in every step, others refuse a list that repeats one.
 */
export const missingResult = "[The result of this call is not available.]";
export const emptyUserText = "(empty message)";
export const emptyToolText = "(no output)";

export interface RepairCounts {
  readonly unknownRole: number;
  readonly orphanResult: number;
  readonly duplicateResult: number;
  readonly movedResult: number;
  readonly missingResult: number;
  readonly mergedUser: number;
  readonly mergedAssistant: number;
  readonly filledEmpty: number;
  readonly renamedCall: number;
}

export interface Repaired {
  readonly messages: readonly Message[];
  readonly counts: RepairCounts;
}

type Counter = { -readonly [Key in keyof RepairCounts]: number };

const noRepairs: RepairCounts = {
  unknownRole: 0,
  orphanResult: 0,
  duplicateResult: 0,
  movedResult: 0,
  missingResult: 0,
  mergedUser: 0,
  mergedAssistant: 0,
  filledEmpty: 0,
  renamedCall: 0,
};

export function repair(messages: readonly Message[]): Repaired {
  if (isInOrder(messages)) return { messages: [...messages], counts: noRepairs };
  const counts: Counter = { ...noRepairs };
  const known = messages.filter((message) => isKnownRole(message));
  counts.unknownRole = messages.length - known.length;
  const paired = pairResults(known, counts);
  const merged = mergeRuns(paired, counts);
  const filled = fillEmpty(uniqueCallIds(merged, counts), counts);
  return { messages: filled, counts };
}

/**
 * Whether no rule has anything to do: a list that Hermes wrote itself in an undisturbed session. One look at
 * each message, since every request of a long session asks.
 */
function isInOrder(messages: readonly Message[]): boolean {
  const ids = new Set<string>();
  let index = 0;
  let previous: Message["role"] | undefined;
  while (index < messages.length) {
    const message = messages[index];
    index += 1;
    if (message?.role === "user") {
      if (previous === "user" || isEmptyContent(message.content)) return false;
    } else if (message?.role === "assistant") {
      if (previous === "assistant") return false;
      const calls = message.tool_calls;
      if (calls !== undefined) {
        if (!areAnswered(calls, { messages, from: index, ids })) return false;
        index += calls.length;
      }
    } else return false;
    previous = messages[index - 1]?.role;
  }
  return true;
}

interface Location {
  readonly messages: readonly Message[];
  /** Where the results should begin. */
  readonly from: number;
  /** Ids of all calls so far. */
  readonly ids: Set<string>;
}

/** At least one call, each with an id of its own, and their results behind them in the same order. */
function areAnswered(calls: readonly ToolCall[], { messages, from, ids }: Location): boolean {
  for (let at = 0; at < calls.length; at += 1) {
    const id = calls[at]?.id;
    const result = messages[from + at];
    if (id === undefined || ids.has(id)) return false;
    if (result?.role !== "tool" || result.tool_call_id !== id || isEmptyContent(result.content)) return false;
    ids.add(id);
  }
  return calls.length > 0;
}

export function totalRepairs(counts: RepairCounts): number {
  return Object.values(counts).reduce((sum: number, count: number) => sum + count, 0);
}

/** Messages read from old files may hold anything; the types only promise what we write ourselves. */
function isKnownRole(message: Message): boolean {
  return message.role === "user" || message.role === "assistant" || message.role === "tool";
}

/** Rules 2, 3 and 4, and calls repeated within one message. */
function pairResults(messages: readonly Message[], counts: Counter): Message[] {
  const { results, calls } = assignResults(messages, counts);
  const output: Message[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role === "tool") continue;
    const own = calls.get(index);
    if (message.role !== "assistant" || own === undefined) {
      output.push(message);
      continue;
    }
    output.push(withCalls(message, own));
    let inPlaceUntil = index;
    while (messages[inPlaceUntil + 1]?.role === "tool") inPlaceUntil += 1;
    for (const call of own) {
      const found = results.get(index)?.get(call.id);
      if (found === undefined) counts.missingResult += 1;
      else if (found.at < index || found.at > inPlaceUntil) counts.movedResult += 1;
      output.push(found?.message ?? toolMessage(call, missingResult));
    }
  }
  return output;
}

interface Found {
  readonly at: number;
  readonly message: ToolMessage;
}

/** Gives each result to the nearest call before it that still lacks one, else to the first one behind it. */
function assignResults(messages: readonly Message[], counts: Counter) {
  const waiting = new Map<string, number[]>();
  const declared = new Set<string>();
  const calls = new Map<number, readonly ToolCall[]>();
  const results = new Map<number, Map<string, Found>>();
  const early: Found[] = [];
  const give = (owner: number, found: Found): void => {
    const own = results.get(owner) ?? new Map<string, Found>();
    own.set(found.message.tool_call_id, found);
    results.set(owner, own);
  };
  for (const [index, message] of messages.entries()) {
    if (message.role === "assistant" && message.tool_calls !== undefined) {
      const own = distinctCalls(message.tool_calls);
      calls.set(index, own);
      for (const call of own) {
        declared.add(call.id);
        const list = waiting.get(call.id) ?? [];
        list.push(index);
        waiting.set(call.id, list);
      }
    } else if (message.role === "tool") {
      const owner = waiting.get(message.tool_call_id)?.pop();
      if (owner !== undefined) give(owner, { at: index, message });
      else if (declared.has(message.tool_call_id)) counts.duplicateResult += 1;
      else early.push({ at: index, message });
    }
  }
  for (const found of early) {
    const owner = waiting.get(found.message.tool_call_id)?.shift();
    if (owner !== undefined) give(owner, found);
    else if (declared.has(found.message.tool_call_id)) counts.duplicateResult += 1;
    else counts.orphanResult += 1;
  }
  return { results, calls };
}

function distinctCalls(calls: readonly ToolCall[]): readonly ToolCall[] {
  const seen = new Set<string>();
  const distinct = calls.filter((call) => !seen.has(call.id) && seen.add(call.id));
  return distinct.length === calls.length ? calls : distinct;
}

function withCalls(message: AssistantMessage, calls: readonly ToolCall[]): AssistantMessage {
  if (calls === message.tool_calls && calls.length > 0) return message;
  const { tool_calls: _replaced, ...rest } = message;
  return calls.length === 0 ? rest : { ...rest, tool_calls: calls };
}

/** Rule 5. */
function mergeRuns(messages: readonly Message[], counts: Counter): Message[] {
  const output: Message[] = [];
  for (const message of messages) {
    const previous = output.at(-1);
    if (previous?.role === "user" && message.role === "user") {
      output[output.length - 1] = { ...previous, content: joinContents(previous.content, message.content) };
      counts.mergedUser += 1;
    } else if (previous?.role === "assistant" && message.role === "assistant" && callsOf(previous).length === 0) {
      output[output.length - 1] = joinAssistants(previous, message);
      counts.mergedAssistant += 1;
    } else output.push(message);
  }
  return output;
}

function joinContents(first: Content, second: Content): Content {
  if (typeof first === "string" && typeof second === "string") return `${first}\n${second}`;
  return [...partsOf(first), ...partsOf(second)];
}

function partsOf(content: Content): readonly ContentPart[] {
  if (typeof content !== "string") return content;
  return content === "" ? [] : [textPart(content)];
}

/** The later one's reasoning is dropped, unless it holds calls: signatures belong to the calls they led to. */
function joinAssistants(first: AssistantMessage, second: AssistantMessage): AssistantMessage {
  const content = [first.content, second.content].filter((text) => text !== "").join("\n");
  if (callsOf(second).length > 0) return { ...second, content };
  const { finish_reason } = second;
  return { ...first, content, ...defined({ finish_reason }) };
}

/** Rule 7. */
function uniqueCallIds(messages: readonly Message[], counts: Counter): readonly Message[] {
  const seen = new Set<string>();
  const nextNumber = new Map<string, number>();
  let renamed = new Map<string, string>();
  let changed = false;
  const output = messages.map((message): Message => {
    if (message.role === "tool") {
      const id = renamed.get(message.tool_call_id);
      return id === undefined ? message : { ...message, tool_call_id: id };
    }
    renamed = new Map();
    if (message.role !== "assistant" || message.tool_calls === undefined) return message;
    for (const call of message.tool_calls) {
      let id = call.id;
      while (seen.has(id)) {
        const number = nextNumber.get(call.id) ?? 2;
        nextNumber.set(call.id, number + 1);
        id = `${call.id}_${number}`;
      }
      seen.add(id);
      if (id !== call.id) renamed.set(call.id, id);
    }
    if (renamed.size === 0) return message;
    changed = true;
    counts.renamedCall += renamed.size;
    return { ...message, tool_calls: message.tool_calls.map((call) => renameCall(call, renamed.get(call.id))) };
  });
  return changed ? output : messages;
}

function renameCall(call: ToolCall, id: string | undefined): ToolCall {
  if (id === undefined) return call;
  const { response_item_id: _stale, ...rest } = call;
  return { ...rest, id, ...(call.call_id === undefined ? {} : { call_id: id }) };
}

/** Rule 6. */
function fillEmpty(messages: readonly Message[], counts: Counter): readonly Message[] {
  let changed = false;
  const output = messages.map((message): Message => {
    if (message.role === "assistant" || !isEmptyContent(message.content)) return message;
    changed = true;
    counts.filledEmpty += 1;
    return { ...message, content: message.role === "user" ? emptyUserText : emptyToolText };
  });
  return changed ? output : messages;
}
