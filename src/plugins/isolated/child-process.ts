import { AsyncLocalStorage } from "node:async_hooks";
import { type ChildProcess, spawn } from "node:child_process";
import { defined } from "#foundation/defined";
import { HermesError } from "#foundation/errors";
import { deadline, onAbort, raceAbort } from "#foundation/lifecycle/abort";
import { Deferred } from "#foundation/lifecycle/deferred";
import { isRecord } from "#foundation/text/json";
import { childProgram } from "./child-program.ts";

export interface PluginProcessOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Gives the process to whoever ends it should we be killed. */
  adopt?(pid: number): Disposable;
  /** Everything but answers to what we asked. */
  onMessage(message: Readonly<Record<string, unknown>>): void;
  /** Called once, when it ended without being asked to. */
  onCrash(reason: string): void;
}

/** Runs something where a call came from. */
type Within = ReturnType<typeof AsyncLocalStorage.snapshot>;

const endGraceMs = 2_000;
const lastWords = 2_000;

/** The process of one plugin: questions go in, answers come out, and it ends when we say so or when we end. */
export class PluginProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #options: PluginProcessOptions;
  readonly #open = new Map<
    number,
    { readonly answer: Deferred<unknown>; readonly progress?: (text: string) => void; readonly within: Within }
  >();
  readonly #gone = new Deferred<void>();
  readonly #adoption: Disposable | undefined;
  #printed = "";
  #nextId = 1;
  #isEnding = false;

  constructor(options: PluginProcessOptions) {
    this.#options = options;
    this.#child = spawn(process.execPath, ["--input-type=module", "-e", childProgram], {
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      env: options.env,
      cwd: options.cwd,
      detached: true,
    });
    this.#adoption = this.#child.pid === undefined ? undefined : options.adopt?.(this.#child.pid);
    this.#child.stderr?.on("data", (chunk: Buffer) => {
      this.#printed = `${this.#printed}${chunk.toString()}`.slice(-lastWords);
    });
    this.#child.on("message", (message) => this.#receive(message));
    this.#child.once("error", (error) => this.#ended(error.message));
    this.#child.once("exit", (code, signal) => this.#ended(`it ended with ${signal ?? `exit code ${code}`}`));
  }

  post(message: Readonly<Record<string, unknown>>): void {
    if (this.#child.connected) this.#child.send(message);
  }

  /** Runs something the plugin registered. */
  async invoke(
    call: { readonly handler: number; readonly args: readonly unknown[]; readonly progress?: (text: string) => void },
    signal: AbortSignal,
  ): Promise<unknown> {
    signal.throwIfAborted();
    if (!this.#child.connected) throw new HermesError("The plugin's process is gone.", { code: "plugin_gone" });
    const id = this.#nextId;
    this.#nextId += 1;
    const answer = new Deferred<unknown>();
    this.#open.set(id, {
      answer,
      within: AsyncLocalStorage.snapshot(),
      ...defined({ progress: call.progress }),
    });
    using _listener = onAbort(signal, () => this.post({ type: "abort", id }));
    try {
      this.post({ type: "invoke", id, handler: call.handler, args: call.args });
      return await raceAbort(answer.promise, signal);
    } finally {
      this.#open.delete(id);
    }
  }

  /** Does something as a part of a call that is under way. */
  within(call: number, work: () => unknown): unknown {
    const open = this.#open.get(call);
    return open === undefined ? work() : open.within(work);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isEnding) {
      this.#isEnding = true;
      this.post({ type: "end" });
    }
    using limit = deadline(endGraceMs);
    await raceAbort(this.#gone.promise, limit.signal).catch(() => this.#kill());
    await this.#gone.promise;
  }

  /** Its whole group: a plugin may have started programs of its own. */
  #kill(): void {
    try {
      if (this.#child.pid !== undefined) process.kill(-this.#child.pid, "SIGKILL");
    } catch {
      this.#child.kill("SIGKILL");
    }
  }

  #receive(message: unknown): void {
    if (!isRecord(message)) return;
    const open = typeof message["id"] === "number" ? this.#open.get(message["id"]) : undefined;
    switch (message["type"]) {
      case "reply":
        open?.answer.resolve(message["value"]);
        return;
      case "error":
        open?.answer.reject(new Error(String(message["message"])));
        return;
      case "progress":
        open?.progress?.(String(message["text"]));
        return;
      default:
        this.#options.onMessage(message);
    }
  }

  #ended(reason: string): void {
    if (this.#gone.isSettled) return;
    this.#gone.resolve();
    this.#adoption?.[Symbol.dispose]();
    const line = this.#printed.trim().split("\n").at(-1) ?? "";
    const why = `${reason}${line === "" ? "" : `: ${line.slice(0, 300)}`}`;
    for (const { answer } of this.#open.values()) answer.reject(new HermesError(why, { code: "plugin_gone" }));
    if (!this.#isEnding) this.#options.onCrash(why);
  }
}
