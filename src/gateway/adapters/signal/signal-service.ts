import type { Destination } from "../../platform/outbound.ts";
import type { Reaction } from "../../platform/platform.ts";
import type { Fields } from "../support/fields.ts";

/** What a service tells while somebody listens. */
export interface SignalStream {
  /** The last event that was taken in: a service that numbers its events sends those after it once more. */
  readonly lastId?: string | undefined;
  opened(): void | Promise<void>;
  /** Something came, if only a sign of life. */
  heard(): void;
  /** `id` is the number of the event, where the service gives it one. */
  take(event: Fields, id: string | undefined): Promise<void>;
}

export interface SignalContent {
  readonly text: string;
  readonly file?: { readonly path: string; readonly name: string } | undefined;
}

/** What runs signal-cli for us, for one account. */
export interface SignalService {
  /** Until the stream ends; says why. Rejects when there is none. */
  listen(stream: SignalStream, signal: AbortSignal): Promise<string>;
  /** The timestamp of the message, which is its id. */
  send(to: Destination, content: SignalContent, signal: AbortSignal): Promise<string>;
  typing(to: Destination, signal: AbortSignal): Promise<void>;
  /** To what the person of this chat wrote. */
  react(to: Destination, reaction: Reaction, signal: AbortSignal): Promise<void>;
  attachment(ref: Readonly<Record<string, string>>, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
}

const groupPrefix = "group:";

/** The id of the group that a chat is. */
export function groupIn(chatId: string): string | undefined {
  return chatId.startsWith(groupPrefix) ? chatId.slice(groupPrefix.length) : undefined;
}
