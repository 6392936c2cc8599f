import { ScriptStart, type ScriptStartOptions } from "./script-start.ts";

/** Where the scripts of each session start; what is made ahead for a session goes with it. */
export class ScriptStarts implements AsyncDisposable {
  readonly #options: ScriptStartOptions;
  readonly #bySession = new Map<string, ScriptStart>();

  constructor(options: ScriptStartOptions) {
    this.#options = options;
  }

  of(sessionKey: string): ScriptStart {
    const known = this.#bySession.get(sessionKey) ?? new ScriptStart(this.#options);
    this.#bySession.set(sessionKey, known);
    return known;
  }

  async endSession(sessionKey: string): Promise<void> {
    const start = this.#bySession.get(sessionKey);
    this.#bySession.delete(sessionKey);
    await start?.[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#bySession.keys()].map((key) => this.endSession(key)));
  }
}
