import type { HermesOptions } from "#app";
import { Deferred } from "#foundation/lifecycle/deferred";
import type { TuiHandle } from "#tui";

/** Who is told and asked while everything opens. */
export type ChatPrompter = Pick<HermesOptions, "onNotice" | "confirmHook">;

/** Asks whether a folder's own files may count. */
export type ConfirmTrust = (folder: string, signal: AbortSignal) => Promise<boolean>;

/**
 * The person at the screen. What is said before the screen is there waits for it; what is said after it is gone goes
 * to standard error, because writing there earlier would tear the picture.
 */
export class ScreenPrompter implements Required<ChatPrompter> {
  readonly #handle = new Deferred<TuiHandle>();
  readonly #fallback: (text: string) => void;
  #hasLeft = false;

  constructor(fallback: (text: string) => void) {
    this.#fallback = fallback;
  }

  get screen(): Promise<TuiHandle> {
    return this.#handle.promise;
  }

  enter(handle: TuiHandle): void {
    this.#handle.resolve(handle);
  }

  leave(): void {
    this.#hasLeft = true;
  }

  onNotice = (text: string): void => {
    if (this.#hasLeft) this.#fallback(text);
    else void this.screen.then((screen) => screen.say("warn", text));
  };

  confirmTrust: ConfirmTrust = async (folder, signal) => {
    const screen = await this.screen;
    const choice = await screen.approve(
      {
        tool: "trust",
        summary: folder,
        reasons: [
          "This folder has instructions or settings of its own (AGENTS.md, .env, .hermes ...). If you trust them, Hermes follows them. If not, it reads them as information, and uses none of the folder's variables, hooks, servers, skills and plugins.",
          "You can change this at any time with: hermes trust",
        ],
        choices: ["always", "deny"],
        wording: {
          title: "Do you trust the files in this folder?",
          answers: { always: "Yes, trust this folder", deny: "No, treat its files as information" },
        },
      },
      signal,
    );
    return choice === "always";
  };

  /** Only a yes is kept, by whoever asks; a no, or no answer, is asked about again at the next start. */
  confirmHook = async (event: string, command: string, signal: AbortSignal): Promise<boolean> => {
    if (this.#hasLeft) return false;
    const screen = await this.screen;
    const choice = await screen.approve(
      {
        tool: "shell hook",
        summary: command,
        reasons: [
          `Your configuration wants to run this on every ${event}.`,
          "Once allowed it runs without asking, until the command or its script changes.",
        ],
        choices: ["always", "deny"],
        wording: {
          title: "Run this shell hook?",
          answers: { always: "Yes, until it changes", deny: "No" },
        },
      },
      signal,
    );
    return choice === "always";
  };
}
