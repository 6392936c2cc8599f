import type {
  ExecOptions,
  ExecResult,
  SpawnOptions,
  Terminal,
  TerminalFiles,
  TerminalProcess,
} from "../contract/terminal.ts";

/** A terminal that says when it is in use, so that nobody reaps it under a running command. */
export class LeasedTerminal implements Terminal {
  readonly #inner: Terminal;
  readonly #touch: () => void;
  readonly files: TerminalFiles;
  #running = 0;

  constructor(inner: Terminal, { touch, files }: { touch(): void; readonly files: TerminalFiles }) {
    this.#inner = inner;
    this.#touch = touch;
    this.files = files;
  }

  get isInUse(): boolean {
    return this.#running > 0;
  }

  get kind() {
    return this.#inner.kind;
  }

  get taskId() {
    return this.#inner.taskId;
  }

  get isPersistent() {
    return this.#inner.isPersistent;
  }

  get cwd() {
    return this.#inner.cwd;
  }

  get home() {
    return this.#inner.home;
  }

  get tempDir() {
    return this.#inner.tempDir;
  }

  async exec(command: string, options: ExecOptions): Promise<ExecResult> {
    this.#running += 1;
    try {
      return await this.#inner.exec(command, options);
    } finally {
      this.#running -= 1;
      this.#touch();
    }
  }

  spawn(command: string, options: SpawnOptions): Promise<TerminalProcess> {
    return this.#inner.spawn(command, options);
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#inner[Symbol.asyncDispose]();
  }
}
