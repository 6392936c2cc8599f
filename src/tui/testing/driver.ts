import { FakeClock } from "#foundation/testing/fake-clock";
import type { OpenSession, SessionEvent } from "#session";
import type { RunTuiOptions } from "../app/options.ts";
import { runTui } from "../run-tui.ts";
import { createDecoder } from "../terminal/decode-input.ts";
import { FakeSession } from "./fake-session.ts";
import { type FakeScreenOptions, TerminalScreen } from "./terminal-screen.ts";

/** Names of keys, as a terminal sends them. */
export const keys = {
  enter: "\r",
  escape: "\x1b",
  escapeEnter: "\x1b\r",
  tab: "\t",
  backspace: "\x7f",
  up: "\x1b[A",
  down: "\x1b[B",
  left: "\x1b[D",
  right: "\x1b[C",
  home: "\x1b[H",
  end: "\x1b[F",
  f2: "\x1bOQ",
  f3: "\x1bOR",
  ctrl: (letter: string) => String.fromCharCode(letter.charCodeAt(0) & 31),
  alt: (letter: string) => `\x1b${letter}`,
  paste: (text: string) => `\x1b[200~${text}\x1b[201~`,
} as const;

export interface DriverOptions extends FakeScreenOptions {
  readonly session?: FakeSession;
  /** Instead of a session that is already open. */
  readonly opening?: Promise<OpenSession>;
  readonly tui?: Partial<RunTuiOptions>;
}

/** Drives the whole UI without a terminal: feeds keys and time, and reads the frame as a person would see it. */
export class TuiDriver implements AsyncDisposable {
  readonly screen: TerminalScreen;
  readonly session: FakeSession;
  readonly clock = new FakeClock();
  readonly ended: Promise<{ readonly exitCode: number }>;
  readonly #stop = new AbortController();

  private constructor(options: DriverOptions) {
    this.screen = new TerminalScreen(options);
    this.session = options.session ?? new FakeSession({ startedAtMs: this.clock.now() });
    this.ended = runTui({
      session: options.opening ?? this.session,
      terminal: this.screen,
      banner: { version: "0.0.0", cwd: "/work" },
      clock: this.clock,
      signal: this.#stop.signal,
      ...options.tui,
    });
  }

  /** Starts the UI and waits until it listens to its session and to keys. */
  static async start(options: DriverOptions = {}): Promise<TuiDriver> {
    // Keys wait until the decoder is loaded, which on a busy machine is later than the first frame.
    (await createDecoder(() => undefined))[Symbol.dispose]();
    const driver = new TuiDriver(options);
    await driver.until(() => driver.screen.starts > 0);
    if (options.opening === undefined) await driver.until(() => driver.session.listenerCount > 0);
    await driver.frame();
    return driver;
  }

  /** Types keys one after the other and waits for what follows from them. */
  async press(...sequences: readonly string[]): Promise<void> {
    for (const sequence of sequences) {
      this.screen.type(sequence);
      // A lone Escape is told from the beginning of a sequence by a short real time.
      if (sequence === keys.escape) await new Promise((resolve) => setTimeout(resolve, 25));
      await this.frame();
    }
  }

  /** Nobody touches a key for a while: what comes next is meant. */
  async pause(): Promise<void> {
    await this.clock.advance(700);
    await this.frame();
  }

  async say(...events: readonly SessionEvent[]): Promise<void> {
    this.session.emit(...events);
    await this.frame();
  }

  /** Lets everything that is ready happen, streamed frames included, and gives the rows on the screen. */
  async frame(): Promise<string[]> {
    for (let round = 0; round < 3; round += 1) {
      await settle();
      await this.clock.advance(40);
    }
    await settle();
    await this.screen.settled();
    return this.screen.visible();
  }

  /** The frame as one text. */
  async text(): Promise<string> {
    return (await this.frame()).join("\n");
  }

  /** Everything that was ever written, without the live rows' former states. */
  async transcript(): Promise<string> {
    await this.frame();
    return this.screen.all().join("\n");
  }

  async row(fragment: string): Promise<string | undefined> {
    return (await this.frame()).find((row) => row.includes(fragment))?.trimEnd();
  }

  /** Waits for real work (modules, files) to be done. */
  async until(condition: () => boolean | Promise<boolean>): Promise<void> {
    const limit = Date.now() + 10_000;
    while (!(await condition())) {
      if (Date.now() > limit) throw new Error(`The frame did not come:\n${this.screen.visible().join("\n")}`);
      await settle();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.ended;
  }
}

function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
