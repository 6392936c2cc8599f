import { deriveCallId, newToolCall, readArguments, type ToolCall, type ToolDefinition } from "#conversation";
import { isRecord, scrubSurrogates } from "#foundation/text/json";
import type { EventWriter } from "./event-writer.ts";
import { listIn } from "./fields.ts";

/** One piece of a call, as a server streams it. */
export interface CallPiece {
  /** The server's number for the call; undefined when it gives none. */
  readonly index?: number | undefined;
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  /** A piece of the argument text; servers that send a whole object are understood too. */
  readonly arguments?: unknown;
  readonly extraContent?: unknown;
  readonly itemId?: string | undefined;
}

interface Slot {
  readonly index: number | undefined;
  id: string;
  name: string;
  /** Pieces of the argument text; joined once, since a text that grows by a few characters is copied each time it is read. */
  pieces: string[];
  extraContent: unknown;
  itemId: string;
  /** How many pieces have been told as deltas. */
  toldCount: number;
  isStarted: boolean;
}

export interface FinishedCalls {
  readonly calls: readonly ToolCall[];
  /** An argument text stops in the middle: the answer was cut, whatever the server said. */
  readonly isTruncated: boolean;
}

/**
 * Gathers the calls of one response. Invariants:
 *
 * 1. A name is assigned, never appended; argument text is appended.
 * 2. Another id on a number in use is another call: some servers number every call 0.
 * 3. Argument text is mended only where one meaning is left, and never in an answer that was cut.
 */
export class ToolInputs {
  readonly #writer: EventWriter;
  readonly #slots: Slot[] = [];
  readonly #current = new Map<number, Slot>();

  constructor(writer: EventWriter) {
    this.#writer = writer;
  }

  get isEmpty(): boolean {
    return this.#slots.length === 0;
  }

  /** Names of the calls that have begun, for messages about calls that were lost. */
  get names(): readonly string[] {
    return this.#slots.map((slot) => slot.name);
  }

  add(piece: CallPiece): void {
    const slot = this.#slotFor(piece);
    if (piece.id !== undefined && piece.id !== "" && slot.id === "") slot.id = piece.id;
    if (piece.name !== undefined && piece.name !== "") slot.name = piece.name;
    if (piece.extraContent !== undefined && piece.extraContent !== null) slot.extraContent = piece.extraContent;
    if (piece.itemId !== undefined) slot.itemId = piece.itemId;
    const text = argumentText(piece.arguments);
    if (text !== "") slot.pieces.push(text);
    this.#tell(slot);
  }

  /** Replaces what was streamed by the text the server says is the whole. */
  settle(index: number, text: string): void {
    const slot = this.#current.get(index);
    if (slot === undefined) return;
    const streamed = slotText(slot);
    if (streamed === text) return;
    if (text.startsWith(streamed)) slot.pieces.push(text.slice(streamed.length));
    else {
      slot.pieces = [text];
      slot.toldCount = 1;
    }
    this.#tell(slot);
  }

  has(index: number): boolean {
    return this.#current.has(index);
  }

  hasText(index: number): boolean {
    return (this.#current.get(index)?.pieces.length ?? 0) > 0;
  }

  /** Writes the finished calls. `wasCut`: the server itself says that the answer is not whole. */
  finish(options: { readonly wasCut: boolean; readonly tools: readonly ToolDefinition[] }): FinishedCalls {
    const used = new Set<string>();
    const calls: ToolCall[] = [];
    let isTruncated = false;
    for (const [index, slot] of this.#slots.entries()) {
      if (slot.name === "" && slot.pieces.length === 0) continue;
      const name = scrubSurrogates(slot.name);
      const read = settleArguments(slotText(slot), { ...options, name });
      isTruncated ||= read.isTruncated;
      const text = scrubSurrogates(read.text);
      const own = slot.id === "" || used.has(slot.id) ? deriveCallId(name, text, index) : slot.id;
      used.add(own);
      const call = newToolCall({ id: own, name, arguments: text, extraContent: slot.extraContent });
      calls.push(slot.itemId === "" ? call : { ...call, response_item_id: slot.itemId });
      this.#start(slot, index);
      this.#writer.add({ type: "tool-call", index, call: calls.at(-1) ?? call });
    }
    return { calls, isTruncated };
  }

  #slotFor(piece: CallPiece): Slot {
    const { index, id = "" } = piece;
    const current = index === undefined ? this.#slots.at(-1) : this.#current.get(index);
    if (current === undefined) return this.#open(index);
    if (id === "") return startsAnew(current, piece) ? this.#open(index) : current;
    if (current.id === "" && index !== undefined) return current;
    if (current.id === id) return current;
    const known = this.#slots.find((slot) => slot.id === id && slot.index === index);
    return known ?? this.#open(index);
  }

  #open(index: number | undefined): Slot {
    const slot: Slot = {
      index,
      id: "",
      name: "",
      pieces: [],
      extraContent: undefined,
      itemId: "",
      toldCount: 0,
      isStarted: false,
    };
    this.#slots.push(slot);
    if (index !== undefined) this.#current.set(index, slot);
    return slot;
  }

  #tell(slot: Slot): void {
    if (slot.name === "") return;
    const at = this.#slots.indexOf(slot);
    this.#start(slot, at);
    for (; slot.toldCount < slot.pieces.length; slot.toldCount += 1)
      this.#writer.add({ type: "tool-input-delta", index: at, text: slot.pieces[slot.toldCount] ?? "" });
  }

  #start(slot: Slot, at: number): void {
    if (slot.isStarted) return;
    slot.isStarted = true;
    this.#writer.add({ type: "tool-input-start", index: at, id: slot.id, name: slot.name });
  }
}

/** Without an id, a second name behind complete arguments is a second call. */
function startsAnew(slot: Slot, piece: CallPiece): boolean {
  if (piece.name === undefined || piece.name === "" || slot.name === "") return false;
  const next = argumentText(piece.arguments).trimStart();
  if (next !== "" && !next.startsWith("{")) return false;
  const text = slotText(slot);
  return text.trimEnd().endsWith("}") && readArguments(text).kind === "ok";
}

function slotText(slot: Slot): string {
  return slot.pieces.join("");
}

/** The text of arguments that came as text, as an object, or not at all. */
export function argumentText(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : (JSON.stringify(value) ?? "");
}

interface Settling {
  readonly wasCut: boolean;
  readonly tools: readonly ToolDefinition[];
  readonly name: string;
}

function settleArguments(text: string, options: Settling): { readonly text: string; readonly isTruncated: boolean } {
  if (options.wasCut) return { text, isTruncated: false };
  const read = readArguments(text);
  if (read.kind !== "ok") return { text, isTruncated: read.kind === "truncated" };
  if (!read.wasMended) return { text: text.trim() === "" ? "{}" : text, isTruncated: false };
  // Closers may only be supplied where nothing else can be missing.
  if (lacksClosers(text) && !hasRequired(read.value, options)) return { text, isTruncated: true };
  return { text: JSON.stringify(read.value), isTruncated: false };
}

function hasRequired(value: Readonly<Record<string, unknown>>, { tools, name }: Settling): boolean {
  const schema = tools.find((tool) => tool.name === name)?.parameters;
  const required = isRecord(schema) ? listIn(schema["required"]) : [];
  return required.every((key) => typeof key !== "string" || Object.hasOwn(value, key));
}

function lacksClosers(text: string): boolean {
  let depth = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\[\s\S])*"|[{}[\]]/g)) {
    if (token === "{" || token === "[") depth += 1;
    else if (token === "}" || token === "]") depth = Math.max(0, depth - 1);
  }
  return depth > 0;
}
