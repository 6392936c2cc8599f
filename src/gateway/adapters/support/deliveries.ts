import { describe } from "#foundation/errors";
import type { InboundMessage } from "../../platform/inbound.ts";
import type { ConnectionPorts } from "../../platform/platform.ts";
import { type Fields, listAt } from "../support/fields.ts";
import type { Rest } from "../support/rest.ts";
import { readCall } from "./inbound.ts";

export interface DeliveriesDeps {
  readonly ports: ConnectionPorts;
  readonly rest: Rest;
  readonly account: string;
  /** A message was written down. */
  taken(message: InboundMessage): void;
}

const waitsMs = [1_000, 2_000, 5_000, 10_000, 30_000];
const pageSize = 500;
/** Calls overtake each other: what came shortly before the last message may still be missing. */
const overlapMs = 300_000;

/**
 * What the server calls with, one after the other. It calls once and keeps every message: what could not be written
 * down is asked for, with all that came since, so that nothing is lost and nothing overtakes it.
 */
export class Deliveries implements AsyncDisposable {
  readonly #deps: DeliveriesDeps;
  readonly #over = new AbortController();
  #taking: Promise<unknown> = Promise.resolve();
  #catchingUp: Promise<void> = Promise.resolve();
  #isBehind = false;
  /** The oldest message that is known to be missing. */
  #missingFromMs = Number.POSITIVE_INFINITY;
  #hasMore = false;

  constructor(deps: DeliveriesDeps) {
    this.#deps = deps;
  }

  /** Everything since the last message of the time before. The very first start begins with what comes from now on. */
  async start(signal: AbortSignal): Promise<void> {
    const starting = this.#begin(signal);
    // Calls that come meanwhile are newer.
    this.#taking = starting.catch(() => undefined);
    await starting;
  }

  async #begin(signal: AbortSignal): Promise<void> {
    const { ports, account } = this.#deps;
    if ((await ports.position(account, "messages")) !== undefined) return await this.#askForMissed(signal);
    const [latest = {}] = await this.#query({ sort: "DESC", limit: 1 }, signal);
    const value = String(Number(latest["dateCreated"]) || 0);
    await ports.keepPosition(account, { name: "start", value });
    await ports.keepPosition(account, { name: "messages", value });
  }

  /** False: it is not written down yet. */
  async take(event: Fields): Promise<boolean> {
    const taking = this.#taking.then(() => this.#takeOne(event));
    this.#taking = taking.catch(() => undefined);
    return await taking;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    await this.#taking;
    await this.#catchingUp;
  }

  async #takeOne(event: Fields): Promise<boolean> {
    const message = readCall(event, this.#deps.account);
    if (message === undefined) return true;
    if (this.#isBehind) {
      this.#hasMore = true;
      return false;
    }
    try {
      await this.#admit(message);
      return true;
    } catch (error) {
      const { logger } = this.#deps.ports;
      logger.error("a message cannot be written down; it is asked for again", {
        platform: "bluebubbles",
        error: describe(error),
      });
      this.#missingFromMs = Math.min(this.#missingFromMs, message.atMs);
      this.#isBehind = true;
      this.#catchingUp = this.#catchUp();
      return false;
    }
  }

  async #catchUp(): Promise<void> {
    const { clock, logger } = this.#deps.ports;
    const { signal } = this.#over;
    for (let failures = 0; !signal.aborted; ) {
      await clock.sleep(waitsMs[Math.min(failures, waitsMs.length - 1)] ?? 0, signal).catch(() => undefined);
      if (signal.aborted) return;
      try {
        this.#hasMore = false;
        await this.#askForMissed(signal);
        this.#missingFromMs = Number.POSITIVE_INFINITY;
        this.#isBehind = this.#hasMore;
        if (!this.#isBehind) return logger.info("what was missing is written down", { platform: "bluebubbles" });
        failures = 0;
      } catch (error) {
        failures += 1;
        logger.error("what is missing cannot be written down yet", {
          platform: "bluebubbles",
          failures,
          error: describe(error),
        });
      }
    }
  }

  async #askForMissed(signal: AbortSignal): Promise<void> {
    const { ports, account } = this.#deps;
    const numberAt = async (name: string): Promise<number> => Number((await ports.position(account, name)) ?? 0);
    const newest = Math.min(await numberAt("messages"), this.#missingFromMs);
    const after = Math.max(await numberAt("start"), newest - overlapMs);
    for (let offset = 0; ; offset += pageSize) {
      const page = await this.#query({ after, sort: "ASC", limit: pageSize, offset }, signal);
      for (const data of page) {
        const message = readCall({ type: "new-message", data }, account);
        if (message !== undefined) await this.#admit(message);
      }
      if (page.length < pageSize) return;
    }
  }

  /** The position never goes back: it is the newest message that was written down. */
  async #admit(message: InboundMessage): Promise<void> {
    const { ports, account, taken } = this.#deps;
    const standing = Number((await ports.position(account, "messages")) ?? 0);
    const value = String(Math.max(standing, message.atMs));
    if (await ports.admit(message, { name: "messages", value })) taken(message);
  }

  async #query(body: Fields, signal: AbortSignal): Promise<readonly Fields[]> {
    const wanted = { ...body, with: ["chat", "handle", "attachment"] };
    return listAt(await this.#deps.rest("/message/query", { body: wanted, signal }), "data");
  }
}
