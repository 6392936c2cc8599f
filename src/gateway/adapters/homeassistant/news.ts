import type { ConnectionPorts } from "../../platform/platform.ts";
import { admitPatiently } from "../support/admit-patiently.ts";
import { type Fields, fieldsAt, textAt } from "../support/fields.ts";
import type { Service } from "../support/service-error.ts";
import type { Change, Watch } from "./watch.ts";

export const service: Service = { id: "homeassistant", label: "Home Assistant" };
export const account = "homeassistant";
const chatId = "ha_events";
/** The time of Home Assistant's own clock up to which everything was taken in. */
const position = "changes";
/** What changed longer ago than this before the last change is no news any more. */
const newsMs = 3_600_000;

/** Changes as they are told, and those that nobody told because nobody listened. */
export class News {
  readonly #ports: ConnectionPorts;
  readonly #watch: Watch;

  constructor(ports: ConnectionPorts, watch: Watch) {
    this.#ports = ports;
    this.#watch = watch;
  }

  /** `isKept`: everything before it was taken in, so the position moves. */
  async take(
    event: Fields,
    { isKept, signal }: { readonly isKept: boolean; readonly signal: AbortSignal },
  ): Promise<void> {
    const change = this.#watch.read(event, this.#ports.clock.now());
    const at = textAt(event, "time_fired");
    const id = textAt(fieldsAt(event, "context"), "id");
    if (change !== undefined) await this.#admit(change, { id, at, isKept, signal });
  }

  /** How things are, compared with when Hermes last heard of them. On the very first start nothing is news. */
  async catchUp(states: readonly Fields[], signal: AbortSignal): Promise<void> {
    const { clock } = this.#ports;
    const changedAt = (state: Fields): string => textAt(state, "last_changed");
    const sorted = states.toSorted((one, other) => Date.parse(changedAt(one)) - Date.parse(changedAt(other)));
    const newest = changedAt(sorted.at(-1) ?? {});
    const known = await this.#ports.position(account, position);
    if (known !== undefined) {
      const sinceMs = Math.max(Date.parse(known), Date.parse(newest) - newsMs);
      for (const state of sorted.filter((one) => Date.parse(changedAt(one)) > sinceMs)) {
        const change = this.#watch.readState(state, clock.now());
        const id = textAt(fieldsAt(state, "context"), "id");
        if (change !== undefined) await this.#admit(change, { id, at: changedAt(state), isKept: true, signal });
      }
    }
    // A house in which nothing ever changed is known, too: what changes from now on is news.
    if (newest !== "" || known === undefined)
      await this.#ports.keepPosition(account, { name: position, value: newest || new Date(0).toISOString() });
  }

  async #admit(
    { entity, text }: Change,
    {
      id,
      at,
      isKept,
      signal,
    }: { readonly id: string; readonly at: string; readonly isKept: boolean; readonly signal: AbortSignal },
  ): Promise<void> {
    // An event and the state that came of it have one context: told both ways, it is one message.
    const messageId = id || at;
    // Nobody tells of a change twice.
    await admitPatiently(
      this.#ports,
      {
        source: {
          platform: service.id,
          account,
          chatId,
          chatType: "channel",
          userId: account,
          userName: service.label,
        },
        text,
        messageId,
        dedupKey: `homeassistant:${entity}:${messageId}`,
        atMs: Date.parse(at) || this.#ports.clock.now(),
        attachments: [],
      },
      { signal, position: isKept && at !== "" ? { name: position, value: at } : undefined },
    );
  }
}
