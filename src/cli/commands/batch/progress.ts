import type { BatchEvent } from "#environments";
import { shortDuration } from "#foundation/text/figures";
import type { Invocation } from "../../command.ts";
import { hasFlag } from "../../invocation.ts";

const refreshMs = 500;
const barWidth = 40;
const spinner = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";

/** How far a batch is: a bar at the bottom of a terminal, else a line per batch. Everything on standard error. */
export class BatchProgress implements Disposable {
  readonly #io: Invocation["io"];
  readonly #isVerbose: boolean;
  readonly #isBar: boolean;
  readonly #startedMs = Date.now();
  #timer: NodeJS.Timeout | undefined;
  #frame = 0;
  #batches = { done: 0, total: 0 };
  #prompts = { done: 0, total: 0, failed: 0 };
  #costUsd = 0;

  constructor(invocation: Invocation) {
    this.#io = invocation.io;
    this.#isVerbose = hasFlag(invocation, "verbose");
    this.#isBar = invocation.io.stderr.isTTY === true;
    if (this.#isBar) this.#timer = setInterval(() => this.#draw(), refreshMs);
  }

  note(event: BatchEvent): void {
    switch (event.kind) {
      case "started":
        this.#batches.total = event.batches;
        this.#prompts.total = event.left;
        this.#print(
          `${event.total} prompts, ${event.done} done already, ${event.left} left in ${event.batches} batches`,
        );
        return;
      case "prompt": {
        const { status, cost_usd, prompt_index, batch_num, error, seconds } = event.facts;
        this.#prompts.done += 1;
        if (status === "failed") this.#prompts.failed += 1;
        this.#costUsd += cost_usd;
        if (status === "failed" || this.#isVerbose)
          this.#print(
            `[B${batch_num}:P${prompt_index}] ${status} after ${shortDuration(seconds * 1000)}${error === undefined ? "" : `: ${error}`}`,
          );
        return;
      }
      case "batch":
        this.#batches.done += 1;
        if (!this.#isBar) this.#print(this.#line());
        return;
      case "warning":
        this.#print(`Warning: ${event.text}`);
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    if (this.#timer !== undefined) this.#io.stderr.write("\r\x1b[K");
    this.#timer = undefined;
  }

  #draw(): void {
    this.#frame += 1;
    const { done, total } = this.#prompts;
    const filled = total === 0 ? 0 : Math.round((done / total) * barWidth);
    const bar = "█".repeat(filled) + "░".repeat(barWidth - filled);
    this.#io.stderr.write(`\r\x1b[K${spinner[this.#frame % spinner.length]} Batches ${bar} ${this.#line()}`);
  }

  #line(): string {
    const { done, total, failed } = this.#prompts;
    const seconds = (Date.now() - this.#startedMs) / 1000;
    const rate = seconds === 0 ? 0 : done / seconds;
    const left = rate === 0 ? "?" : shortDuration(((total - done) / rate) * 1000);
    const cost = this.#costUsd === 0 ? "" : ` · $${this.#costUsd.toFixed(4)}`;
    const failures = failed === 0 ? "" : ` · ${failed} failed`;
    return `${this.#batches.done}/${this.#batches.total} · ${done} prompts · ${rate.toFixed(1)}/s${cost}${failures} · ${left} left`;
  }

  #print(text: string): void {
    this.#io.stderr.write(this.#isBar ? `\r\x1b[K${text}\n` : `${text}\n`);
  }
}
