import { createHash } from "node:crypto";
import type { RequestMessage, ToolDefinition } from "#conversation";
import type { Logger } from "#foundation/files/logger";

/**
 * Watches that the requests of a session only ever grow at their end. Providers cache the beginning of a
 * request; whatever changes in the middle is paid for again, so a change is named with its place.
 *
 * 1. Each request is compared with the one before it: system text, tools, then message by message.
 * 2. Kept are one hash per message and references to the last request; no text is copied.
 * 3. Internal fields (`uid`, `timestamp`, names starting with `_`) are never sent and do not count.
 */
export interface WatchedRequest {
  readonly system: string;
  /** Sent behind the system prompt and before the messages, so a change in it counts as one in the system text. */
  readonly ephemeral?: string;
  readonly tools: readonly ToolDefinition[];
  readonly messages: readonly RequestMessage[];
}

export type PrefixReport =
  | {
      readonly kind: "first" | "extends";
      /** Bytes the request has in common with the one before. */
      readonly sharedBytes: number;
      readonly totalBytes: number;
    }
  | {
      readonly kind: "break";
      /** The part that differs first; a number is the index of a message. */
      readonly at: "system" | "tools" | number;
      /** Character within that part. */
      readonly offset: number;
      readonly was: string;
      readonly is: string;
      /** Why this was to be expected ("compression", "model change"); undefined means that it was not. */
      readonly cause: string | undefined;
      readonly sharedBytes: number;
      readonly totalBytes: number;
    };

interface Part {
  readonly hash: string;
  readonly bytes: number;
}

interface Observed {
  readonly request: WatchedRequest;
  readonly system: Part;
  readonly tools: Part;
  readonly messages: readonly Part[];
}

const excerptCharacters = 60;

export class PrefixWatch {
  #last: Observed | undefined;
  /** Messages are immutable, so one that was hashed before is known by its identity. */
  readonly #parts = new WeakMap<RequestMessage, Part>();

  observe(request: WatchedRequest, allowed?: string): PrefixReport {
    const now = this.#measure(request);
    const before = this.#last;
    this.#last = now;
    const totalBytes = now.system.bytes + now.tools.bytes + sumBytes(now.messages, now.messages.length);
    if (before === undefined) return { kind: "first", sharedBytes: 0, totalBytes };
    const at = firstDifference(before, now);
    const sharedBytes = sharedBefore(before, at);
    if (at === undefined) return { kind: "extends", sharedBytes, totalBytes };
    const [old, current] = [textAt(before.request, at), textAt(request, at)];
    const offset = commonLength(old, current);
    return {
      kind: "break",
      at,
      offset,
      was: excerpt(old, offset),
      is: excerpt(current, offset),
      cause: allowed,
      sharedBytes: sharedBytes + Buffer.byteLength(old.slice(0, offset)),
      totalBytes,
    };
  }

  #measure(request: WatchedRequest): Observed {
    return {
      request,
      system: partOf(systemText(request)),
      tools: partOf(toolsText(request.tools)),
      messages: request.messages.map((message) => this.#partOf(message)),
    };
  }

  #partOf(message: RequestMessage): Part {
    const known = this.#parts.get(message);
    if (known !== undefined) return known;
    const part = partOf(messageText(message));
    this.#parts.set(message, part);
    return part;
  }
}

/** One line for the log. */
export function describeBreak(report: PrefixReport & { readonly kind: "break" }): string {
  const location = typeof report.at === "number" ? `message ${report.at}` : `the ${report.at}`;
  const reason = report.cause === undefined ? "without a known cause" : `because of ${report.cause}`;
  return `The request changed at character ${report.offset} of ${location}, ${reason}: was ${JSON.stringify(report.was)}, is ${JSON.stringify(report.is)}.`;
}

/** Undefined when the later request begins with the whole of the earlier one. */
function firstDifference(before: Observed, now: Observed): "system" | "tools" | number | undefined {
  if (before.system.hash !== now.system.hash) return "system";
  if (before.tools.hash !== now.tools.hash) return "tools";
  const index = before.messages.findIndex((part, at) => part.hash !== now.messages[at]?.hash);
  return index < 0 ? undefined : index;
}

/** Bytes of the parts before the place where the requests part; without one, of the whole earlier request. */
function sharedBefore(before: Observed, at: "system" | "tools" | number | undefined): number {
  if (at === "system") return 0;
  if (at === "tools") return before.system.bytes;
  return before.system.bytes + before.tools.bytes + sumBytes(before.messages, at ?? before.messages.length);
}

function sumBytes(parts: readonly Part[], count: number): number {
  let sum = 0;
  for (let index = 0; index < count; index += 1) sum += parts[index]?.bytes ?? 0;
  return sum;
}

function textAt(request: WatchedRequest, at: "system" | "tools" | number): string {
  if (at === "system") return systemText(request);
  if (at === "tools") return toolsText(request.tools);
  const message = request.messages[at];
  return message === undefined ? "" : messageText(message);
}

function systemText({ system, ephemeral = "" }: WatchedRequest): string {
  return ephemeral === "" ? system : `${system}\n\n${ephemeral}`;
}

function toolsText(tools: readonly ToolDefinition[]): string {
  return JSON.stringify(tools.map(({ name, description, parameters }) => ({ name, description, parameters })));
}

/** As it would be sent. `reasoning` is for people; the wire carries the provider's own fields. */
function messageText(message: RequestMessage): string {
  const isSent = ([name]: readonly [string, unknown]): boolean =>
    name !== "uid" && name !== "timestamp" && name !== "reasoning" && !name.startsWith("_");
  return JSON.stringify(Object.fromEntries(Object.entries(message).filter(isSent)));
}

function partOf(text: string): Part {
  return { hash: createHash("sha256").update(text).digest("base64"), bytes: Buffer.byteLength(text) };
}

function commonLength(one: string, other: string): number {
  const limit = Math.min(one.length, other.length);
  let index = 0;
  while (index < limit && one.charCodeAt(index) === other.charCodeAt(index)) index += 1;
  return index;
}

function excerpt(text: string, offset: number): string {
  return text.slice(offset, offset + excerptCharacters);
}

/** The contract of prompt caching: a request extends the one before. What breaks it is written down with its cause. */
export function logBreaks(logger: Logger): (request: WatchedRequest, cause: string | undefined) => void {
  const watch = new PrefixWatch();
  return (request, cause) => {
    const report = watch.observe(request, cause);
    if (report.kind === "break")
      logger.info("the request does not extend the last one", { what: describeBreak(report) });
  };
}
