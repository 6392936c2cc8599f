import { createHash, timingSafeEqual } from "node:crypto";
import type { Secret } from "#foundation/secrets/secret";
import type { Clock } from "#foundation/time/clock";

const wrongMs = 1000;

/** The way in for who did not see the address: a password. One attempt at a time, and a wrong one takes a while. */
export class Login {
  readonly #password: Secret;
  readonly #clock: Pick<Clock, "sleep">;
  #last: Promise<unknown> = Promise.resolve();

  constructor(password: Secret, clock: Pick<Clock, "sleep">) {
    this.#password = password;
    this.#clock = clock;
  }

  accepts(written: string, signal: AbortSignal): Promise<boolean> {
    const attempt = this.#last.then(async () => {
      const isRight = timingSafeEqual(digest(written), digest(this.#password.reveal()));
      if (!isRight) await this.#clock.sleep(wrongMs, signal);
      return isRight;
    });
    this.#last = attempt.catch(() => undefined);
    return attempt;
  }
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
