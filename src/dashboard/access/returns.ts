import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Clock } from "#foundation/time/clock";

export interface ReturnsOptions {
  /** Known to every start of this home. */
  readonly key: Buffer;
  /** Names this start; a proof is worth something for it alone. */
  readonly start: string;
  readonly clock: Pick<Clock, "now">;
}

/** What a page is given while it has the token: a name, and a secret that is never sent again. */
export interface Ticket {
  readonly id: string;
  readonly secret: string;
}

const lastingMs = 7 * 86_400_000;

/**
 * How a page that was let in before comes back after a restart ([ADR 35](../../../docs/decisions/0035-pages-return-by-proof.md)).
 *
 * 1. The server proves first that it knows the secret of the page, over something the page made up: whatever else took the port
 *    meanwhile learns nothing.
 * 2. Then the page does, over the name of this start.
 * 3. Both proofs hold the origin, so that neither can be passed on to another port.
 */
export class Returns {
  readonly #options: ReturnsOptions;

  constructor(options: ReturnsOptions) {
    this.#options = options;
  }

  get start(): string {
    return this.#options.start;
  }

  issue(): Ticket {
    const id = `${this.#options.clock.now()}.${randomBytes(12).toString("base64url")}`;
    return { id, secret: this.#secretOf(id).toString("base64url") };
  }

  /** The proof of the server; undefined for a ticket whose time is over. */
  prove(id: string, origin: string, nonce: string): string | undefined {
    return this.#isCurrent(id) ? mac(this.#secretOf(id), ["server", origin, nonce]).toString("base64url") : undefined;
  }

  accepts(id: string, origin: string, proof: string): boolean {
    const wanted = mac(this.#secretOf(id), ["page", origin, this.start]);
    const shown = Buffer.from(proof, "base64url");
    return this.#isCurrent(id) && shown.length === wanted.length && timingSafeEqual(shown, wanted);
  }

  #secretOf(id: string): Buffer {
    return mac(this.#options.key, ["ticket", id]);
  }

  #isCurrent(id: string): boolean {
    const [, issued] = /^(\d{1,15})\.[\w-]{16}$/.exec(id) ?? [];
    const ageMs = this.#options.clock.now() - Number(issued ?? Number.NaN);
    return ageMs >= -60_000 && ageMs < lastingMs;
  }
}

/** No part may hold the line break that keeps them apart: origins and names cannot, what a page made up is checked where it arrives. */
const mac = (key: Buffer, parts: readonly string[]): Buffer =>
  createHmac("sha256", key).update(parts.join("\n")).digest();
