import type { ExitReason } from "#conversation";
import type { Logger } from "#foundation/files/logger";
import { quietly } from "#foundation/files/quietly";
import type { Clock } from "#foundation/time/clock";
import type { SessionEvent } from "#session";
import type { Outlet } from "../delivery/outlet.ts";
import type { LiveSettings } from "../live/live-settings.ts";
import { LiveView } from "../live/live-view.ts";
import { Reactions } from "../live/reactions.ts";
import type { InboundMessage } from "../platform/inbound.ts";
import { Inactivity, type InactivitySettings } from "./inactivity.ts";

export interface TurnDisplayDeps {
  /** The way out to an account, where this process has its connection. */
  outlet(platform: string, account: string): Outlet | undefined;
  settings(platform: string): LiveSettings;
  inactivity(): InactivitySettings;
  /** The message in which a turn that was cut off had begun its answer. */
  continuedMessage(): string | undefined;
  onLiveMessage(messageId: string): Promise<void>;
  /** Words about a turn that says nothing; the number tells one from the other. */
  tell(message: InboundMessage, text: string, count: number): Promise<void>;
  interrupt(): void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What a chat sees of the turn that runs: its progress while it works, and a word when it falls silent. */
export class TurnDisplay {
  readonly #deps: TurnDisplayDeps;
  #live: LiveView | undefined;
  #watch: Inactivity | undefined;
  #reactions: Reactions | undefined;

  constructor(deps: TurnDisplayDeps) {
    this.#deps = deps;
  }

  begin(message: InboundMessage): void {
    const { source } = message;
    const { clock, logger } = this.#deps;
    let count = 0;
    this.#watch = new Inactivity({
      settings: this.#deps.inactivity(),
      clock,
      tell: (text) => {
        count += 1;
        const number = count;
        void quietly("telling of silence", () => this.#deps.tell(message, text, number), { logger });
      },
      end: () => this.#deps.interrupt(),
    });
    const outlet = this.#deps.outlet(source.platform, source.account);
    if (outlet === undefined) return;
    const settings = this.#deps.settings(source.platform);
    if (settings.reacts && message.isAddressed !== false) this.#reactions = new Reactions({ outlet, message, logger });
    const onLiveMessage = (messageId: string): void =>
      void quietly("noting a growing message", () => this.#deps.onLiveMessage(messageId), { logger });
    const deps = { outlet, settings, message, clock, logger, onLiveMessage };
    this.#live = new LiveView(deps, settings.streams ? this.#deps.continuedMessage() : undefined);
  }

  heard(event: SessionEvent): void {
    this.#live?.heard(event);
    this.#watch?.sign();
  }

  /** Silence counts for nothing while a person is asked. */
  pause(isPaused: boolean): void {
    this.#watch?.pause(isPaused);
  }

  /** The message that shows the beginning of the answer, which is owed now. */
  take(): string | undefined {
    return this.#live?.take();
  }

  /** A turn that is only left goes on elsewhere, and stays marked as worked on. */
  async end(exitReason?: ExitReason): Promise<void> {
    const live = this.#live;
    const reactions = this.#reactions;
    this.#reactions = undefined;
    this.#live = undefined;
    this.#watch?.[Symbol.dispose]();
    this.#watch = undefined;
    await live?.end();
    if (exitReason !== undefined) await reactions?.end(exitReason);
  }
}
