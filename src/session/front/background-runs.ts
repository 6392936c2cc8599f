import { describe } from "#foundation/errors";
import type { Clock } from "#foundation/time/clock";
import type { OpenSession, SessionEvent } from "../api.ts";
import type { BackgroundRun } from "../commands/command.ts";
import type { BackgroundWork } from "../turns/background-work.ts";

export interface BackgroundRunsDeps {
  readonly clock: Clock;
  readonly work: BackgroundWork;
  /** A session of its own in which nobody can be asked. */
  open(signal: AbortSignal): Promise<OpenSession>;
  emit(event: SessionEvent): void;
}

/** Prompts that run beside the conversation. Each has a session of its own, and ends with this one. */
export class BackgroundRuns {
  readonly #deps: BackgroundRunsDeps;
  readonly #running = new Map<string, BackgroundRun>();
  #count = 0;

  constructor(deps: BackgroundRunsDeps) {
    this.#deps = deps;
  }

  list(): readonly BackgroundRun[] {
    return [...this.#running.values()];
  }

  start(prompt: string): string {
    this.#count += 1;
    const id = `bg${this.#count}`;
    this.#running.set(id, { id, prompt, startedAtMs: this.#deps.clock.now() });
    this.#deps.emit({ type: "background-start", id, prompt });
    this.#deps.work.start(`background ${id}`, async (signal) => {
      let text = "";
      try {
        text = await this.#run(prompt, signal);
      } catch (error) {
        text = `It failed: ${describe(error)}`;
      } finally {
        this.#running.delete(id);
      }
      if (!signal.aborted) this.#deps.emit({ type: "background-end", id, prompt, text });
    });
    return id;
  }

  async #run(prompt: string, signal: AbortSignal): Promise<string> {
    await using session = await this.#deps.open(signal);
    const stop = (): void => session.interrupt();
    signal.addEventListener("abort", stop, { once: true });
    try {
      const submission = await session.submit({ text: prompt });
      const turn = submission.kind === "command" ? submission.view : submission;
      if (turn.kind === "turn") {
        const end = await turn.ended;
        return end.text ?? end.error ?? "It ended without an answer.";
      }
      if (turn.kind === "text" || turn.kind === "markdown") return turn.text;
      return "It ended without an answer.";
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }
}
