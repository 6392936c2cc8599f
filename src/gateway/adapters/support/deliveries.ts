import { describe } from "#foundation/errors";
import { Deferred } from "#foundation/lifecycle/deferred";
import type { InboundMessage } from "../../platform/inbound.ts";
import type { ConnectionPorts } from "../../platform/platform.ts";

export interface DeliveriesDeps {
  readonly ports: ConnectionPorts;
  readonly platform: string;
  readonly account: string;
  /** The time of the newest message; the very first start begins after it. */
  newest(signal: AbortSignal): Promise<number>;
  /** The messages that came from this time on, oldest first. */
  since(fromMs: number, signal: AbortSignal): AsyncIterable<InboundMessage>;
  /** A message was written down. */
  taken?(message: InboundMessage): void;
}

const waitsMs = [1_000, 2_000, 5_000, 10_000, 30_000];
/** Calls overtake each other: what came shortly before the last message may still be missing. */
const overlapMs = 300_000;

/**
 * What a service calls with, one after the other. It calls once and keeps every message: what could not be written
 * down is asked for, with all that came since, so that nothing is lost and nothing overtakes it.
 */
export class Deliveries implements AsyncDisposable {
  readonly #deps: DeliveriesDeps;
  readonly #over = new AbortController();
  readonly #begun = new Deferred<void>();
  /** Calls that come before all that was missed is written down are newer. */
  #taking: Promise<unknown> = this.#begun.promise;
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
    await this.#begin(signal);
    this.#begun.resolve();
  }

  async #begin(signal: AbortSignal): Promise<void> {
    const { ports, account } = this.#deps;
    if ((await ports.position(account, "messages")) !== undefined) return await this.#askForMissed(signal);
    const value = String(await this.#deps.newest(signal));
    await ports.keepPosition(account, { name: "start", value });
    await ports.keepPosition(account, { name: "messages", value });
  }

  /** False: it is not written down yet. */
  async take(message: InboundMessage): Promise<boolean> {
    const taking = this.#taking.then(() => this.#takeOne(message));
    this.#taking = taking.catch(() => undefined);
    return await taking;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    this.#begun.resolve();
    await this.#taking;
    await this.#catchingUp;
  }

  async #takeOne(message: InboundMessage): Promise<boolean> {
    const { ports, platform } = this.#deps;
    if (this.#over.signal.aborted) return false;
    if (this.#isBehind) {
      this.#hasMore = true;
      return false;
    }
    try {
      await this.#admit(message);
      return true;
    } catch (error) {
      const facts = { platform, error: describe(error) };
      ports.logger.error("a message cannot be written down; it is asked for again", facts);
      this.#missingFromMs = Math.min(this.#missingFromMs, message.atMs);
      this.#isBehind = true;
      this.#catchingUp = this.#catchUp();
      return false;
    }
  }

  async #catchUp(): Promise<void> {
    const { platform, ports } = this.#deps;
    const { clock, logger } = ports;
    const { signal } = this.#over;
    for (let failures = 0; !signal.aborted; ) {
      await clock.sleep(waitsMs[Math.min(failures, waitsMs.length - 1)] ?? 0, signal).catch(() => undefined);
      if (signal.aborted) return;
      try {
        this.#hasMore = false;
        await this.#askForMissed(signal);
        this.#missingFromMs = Number.POSITIVE_INFINITY;
        this.#isBehind = this.#hasMore;
        if (!this.#isBehind) return logger.info("what was missing is written down", { platform });
        failures = 0;
      } catch (error) {
        failures += 1;
        const facts = { platform, failures, error: describe(error) };
        logger.error("what is missing cannot be written down yet", facts);
      }
    }
  }

  async #askForMissed(signal: AbortSignal): Promise<void> {
    const { ports, account } = this.#deps;
    const numberAt = async (name: string): Promise<number> => Number((await ports.position(account, name)) ?? 0);
    const newest = Math.min(await numberAt("messages"), this.#missingFromMs);
    const after = Math.max(await numberAt("start"), newest - overlapMs);
    for await (const message of this.#deps.since(after, signal)) await this.#admit(message);
  }

  /** The position never goes back: it is the newest message that was written down. */
  async #admit(message: InboundMessage): Promise<void> {
    const { ports, account, taken } = this.#deps;
    const standing = Number((await ports.position(account, "messages")) ?? 0);
    const value = String(Math.max(standing, message.atMs));
    if (await ports.admit(message, { name: "messages", value })) taken?.(message);
  }
}
