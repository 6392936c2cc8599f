import { describe } from "#foundation/errors";
import type { InboundMessage } from "../../platform/inbound.ts";
import type { ConnectionPorts } from "../../platform/platform.ts";
import { type Fields, fieldsAt, listAt, textAt } from "../support/fields.ts";
import { Latest } from "../support/latest.ts";
import type { Rest } from "../support/rest.ts";
import type { MatrixCrypto } from "./encryption/crypto.ts";
import type { EncryptedRooms } from "./encryption/rooms.ts";
import { isEncrypted, Unread } from "./encryption/unread.ts";
import { type MatrixRules, readEvent } from "./inbound.ts";
import { putEvent } from "./put-event.ts";

const pollMs = 25_000;
const mostEvents = 50;
const mostBackfill = 500;
const rememberedRooms = 1_000;
const filter = JSON.stringify({ room: { timeline: { limit: mostEvents }, state: { lazy_load_members: true } } });

export interface SyncDeps {
  readonly ports: ConnectionPorts;
  readonly rest: Rest;
  readonly rules: MatrixRules;
  /** Rooms that the account itself calls direct. */
  readonly directRooms: ReadonlySet<string>;
  readonly rooms: EncryptedRooms;
  /** Absent where encryption is not switched on. */
  readonly crypto: MatrixCrypto | undefined;
}

const cannotRead = {
  off: "I cannot read this room: it is encrypted, and encryption is not turned on (MATRIX_ENCRYPTION=true).",
  waiting:
    "I cannot read a message here: its key has not reached me. If it does not arrive soon, please send the message again.",
} as const;

/** Reads the account's stream. The position is written down with the last message before it, so nothing is missed. */
export class MatrixSync {
  readonly #deps: SyncDeps;
  readonly #isDirect = new Latest<boolean>(rememberedRooms);
  readonly #unread = new Unread();
  #since: string | undefined;

  constructor(deps: SyncDeps) {
    this.#deps = deps;
  }

  /** One look. The first one ever only finds out where the stream is. */
  async next(signal: AbortSignal): Promise<void> {
    const { ports, rest, rules } = this.#deps;
    this.#since ??= await ports.position(rules.userId, "sync");
    const since = this.#since;
    const start = since === undefined ? "timeout=0" : `timeout=${pollMs}&since=${encodeURIComponent(since)}`;
    const answer = await rest(`/sync?${start}&filter=${encodeURIComponent(filter)}`, { signal });
    ports.alive();
    const next = textAt(answer, "next_batch");
    const rooms = fieldsAt(answer, "rooms");
    for (const [id, room] of Object.entries(fieldsAt(rooms, "invite"))) await this.#joinFor(id, room as Fields, signal);
    this.#noteEncrypted(fieldsAt(rooms, "join"));
    await this.#deps.crypto?.takeSync(answer, signal);
    // The very first start begins here, and so does the next one, whatever was said in between.
    if (since === undefined) await ports.keepPosition(rules.userId, { name: "sync", value: next });
    else {
      const messages = [
        ...(await this.#late(signal)),
        ...(await this.#messagesIn(fieldsAt(rooms, "join"), since, signal)),
      ];
      for (const [index, message] of messages.entries())
        await ports.admit(message, { name: "sync", value: index === messages.length - 1 ? next : since });
    }
    this.#since = next;
  }

  #noteEncrypted(joined: Fields): void {
    for (const [id, room] of Object.entries(joined))
      for (const list of ["state", "timeline"])
        if (listAt(fieldsAt(room as Fields, list), "events").some(({ type }) => type === "m.room.encryption"))
          this.#deps.rooms.note(id);
  }

  /** Messages whose keys have come in the meantime. */
  async #late(signal: AbortSignal): Promise<readonly InboundMessage[]> {
    const { crypto, ports } = this.#deps;
    if (crypto === undefined) return [];
    const found: InboundMessage[] = [];
    for (const { room, event } of await this.#unread.retry(crypto, ports.clock.now())) {
      const isDirect = await this.#knowsDirect(room, signal);
      const message = readEvent(event, { id: room, isDirect }, this.#deps.rules);
      if (message !== undefined) found.push(message);
    }
    return found;
  }

  /** Events as they were before they were encrypted; without those that cannot be read. */
  async #readable(events: readonly Fields[], room: string, signal: AbortSignal): Promise<readonly Fields[]> {
    const { crypto, ports, rules } = this.#deps;
    const readable: Fields[] = [];
    for (const event of events) {
      if (!isEncrypted(event) || textAt(event, "sender") === rules.userId) {
        readable.push(event);
        continue;
      }
      this.#deps.rooms.note(room);
      const opened = await crypto?.opened(event, room);
      if (opened !== undefined) readable.push(opened);
      else {
        if (crypto !== undefined) this.#unread.add(room, event, ports.clock.now());
        await this.#tell(room, crypto === undefined ? cannotRead.off : cannotRead.waiting, signal);
      }
    }
    return readable;
  }

  /** Once in each room; these words are no secret. */
  async #tell(room: string, body: string, signal: AbortSignal): Promise<void> {
    const { ports, rest } = this.#deps;
    if (!this.#unread.isNews(room)) return;
    ports.logger.warn("a message cannot be read", { platform: "matrix", room });
    const event = { type: "m.room.message", key: `unread-${room}-${ports.clock.now()}` };
    await putEvent(room, { ...event, content: { msgtype: "m.notice", body } }, { rest, signal }).catch(
      (error: unknown) => ports.logger.warn("nobody could be told", { platform: "matrix", error: describe(error) }),
    );
  }

  async #messagesIn(joined: Fields, since: string, signal: AbortSignal): Promise<readonly InboundMessage[]> {
    const found: InboundMessage[] = [];
    for (const [id, room] of Object.entries(joined)) {
      const timeline = fieldsAt(room as Fields, "timeline");
      const missed =
        timeline["limited"] === true
          ? await this.#missed(id, { before: textAt(timeline, "prev_batch"), since }, signal)
          : [];
      const events = await this.#readable([...missed, ...listAt(timeline, "events")], id, signal);
      const isTalk = events.some(({ type }) => type === "m.room.message");
      const isDirect = isTalk && (await this.#knowsDirect(id, signal));
      found.push(...events.flatMap((event) => readEvent(event, { id, isDirect }, this.#deps.rules) ?? []));
    }
    return found;
  }

  /** What came between our position and the events that the server sent along, oldest first. */
  async #missed(
    room: string,
    span: { readonly before: string; readonly since: string },
    signal: AbortSignal,
  ): Promise<readonly Fields[]> {
    const missed: Fields[] = [];
    for (let from = span.before; from !== "" && missed.length < mostBackfill; ) {
      const query = new URLSearchParams({ dir: "b", from, to: span.since, limit: "100" });
      const page = await this.#deps.rest(`/rooms/${encodeURIComponent(room)}/messages?${query}`, { signal });
      const events = listAt(page, "chunk");
      missed.push(...events);
      from = events.length === 0 ? "" : textAt(page, "end");
    }
    return missed.reverse();
  }

  async #knowsDirect(room: string, signal: AbortSignal): Promise<boolean> {
    if (this.#deps.directRooms.has(room)) return true;
    const known = this.#isDirect.get(room);
    if (known !== undefined) return known;
    const answer = await this.#deps.rest(`/rooms/${encodeURIComponent(room)}/joined_members`, { signal });
    const isDirect = Object.keys(fieldsAt(answer, "joined")).length === 2;
    this.#isDirect.set(room, isDirect);
    return isDirect;
  }

  /** Only whom the settings name gets us into a room. */
  async #joinFor(room: string, invite: Fields, signal: AbortSignal): Promise<void> {
    const { ports, rest, rules } = this.#deps;
    const { matrix, gateway } = ports.config;
    const events = listAt(fieldsAt(invite, "invite_state"), "events");
    const own = events.find(({ type, state_key: key }) => type === "m.room.member" && key === rules.userId) ?? {};
    const listed = [...matrix.allowed_users, ...gateway.allowed_users];
    const isOpen = matrix.allow_all_users || gateway.allow_all_users || listed.includes("*");
    if (!isOpen && !listed.includes(textAt(own, "sender"))) return;
    await rest(`/rooms/${encodeURIComponent(room)}/join`, { body: {}, signal }).catch((error: unknown) =>
      ports.logger.warn("an invitation could not be accepted", { platform: "matrix", error: describe(error) }),
    );
  }
}
