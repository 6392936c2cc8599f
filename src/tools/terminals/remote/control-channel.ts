import { Deferred } from "#foundation/lifecycle/deferred";
import { readReport, type ShellReport } from "../shell/shell-state.ts";

const mostBytes = 16 * 1_048_576;

/** Reads what the text around a command tells beside its output; see `remote-script.ts`. */
export class ControlChannel {
  readonly #word: string;
  #text = "";
  readonly #begun = new Deferred<number>();
  readonly #ended = new Deferred<void>();
  #isStarted = false;

  constructor(word: string) {
    this.#word = word;
    this.#begun.promise.catch(() => undefined);
  }

  push(chunk: Uint8Array): void {
    if (this.#text.length > mostBytes) return;
    this.#text += Buffer.from(chunk).toString("latin1");
    this.#isStarted ||= this.#text.includes(`${this.#word}S`);
    const pid = this.#line("P");
    if (pid !== undefined) this.#begun.resolve(Number(pid));
    if (this.exitCode !== undefined) this.#ended.resolve();
  }

  /** The number the command has there. Rejects through {@link lost}. */
  get begun(): Promise<number> {
    return this.#begun.promise;
  }

  /** Settles when the exit code was told. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** The way in ended before the command was known to run. */
  lost(error: unknown): void {
    this.#begun.reject(error);
  }

  get isStarted(): boolean {
    return this.#isStarted;
  }

  get exitCode(): number | undefined {
    const code = this.#line("E");
    return code === undefined ? undefined : Number(code);
  }

  get report(): ShellReport {
    const start = this.#text.indexOf(`${this.#word}R`);
    const end = this.#text.lastIndexOf(`${this.#word}E`);
    if (start < 0 || end < start) return { kind: "none" };
    return readReport(Buffer.from(this.#text.slice(start + this.#word.length + 1, end), "latin1").toString("utf8"));
  }

  /** What was told about the machine itself. */
  get facts(): readonly string[] {
    const start = this.#text.indexOf(`${this.#word}F`);
    const end = this.#text.indexOf(`${this.#word}R`);
    if (start < 0 || end < start) return [];
    const text = Buffer.from(this.#text.slice(start + this.#word.length + 1, end), "latin1").toString("utf8");
    return text.split("\0").slice(0, -1);
  }

  /** What the client itself said, for people. */
  get words(): string {
    const first = this.#text.indexOf(this.#word);
    const text = first < 0 ? this.#text : this.#text.slice(0, first);
    return Buffer.from(text, "latin1").toString("utf8").trim().slice(0, 2_000);
  }

  #line(letter: string): string | undefined {
    const start = this.#text.lastIndexOf(`${this.#word}${letter}`);
    const end = start < 0 ? -1 : this.#text.indexOf("\n", start);
    return end < 0 ? undefined : this.#text.slice(start + this.#word.length + 1, end);
  }
}
