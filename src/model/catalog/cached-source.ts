import { mkdir, stat, utimes } from "node:fs/promises";
import { dirname } from "node:path";
import { describe, systemErrorCode } from "#foundation/errors";
import { readTextFile, writeFileAtomic } from "#foundation/files/files";
import type { Logger } from "#foundation/files/logger";
import { httpRequest } from "#foundation/http/request";
import { parseJson } from "#foundation/text/json";
import type { Clock } from "#foundation/time/clock";

export interface CachedSourceOptions<T> {
  readonly url: string;
  readonly file: string;
  /** How old the file may be before it is fetched again. */
  readonly maxAgeMs: number;
  /** Undefined for a body that makes no sense; such a body never replaces a good one. */
  readonly parse: (body: unknown) => T | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

export type RefreshOutcome = "current" | "updated" | "failed";

const maxBytes = 16 * 1024 * 1024;
const timeoutMs = 15_000;
/** After a failure nobody asks again for this long: offline stays quiet. */
const pauseAfterFailureMs = 5 * 60_000;

/**
 * A public catalogue that is read from memory and kept on disk. Reading never waits: who needs it
 * takes what is there, and somebody else refreshes in the background.
 */
export class CachedSource<T> {
  readonly #options: CachedSourceOptions<T>;
  #value: T | undefined;
  #readAtMs: number | undefined;
  #failedAtMs: number | undefined;
  #isLoaded = false;
  #refreshing: Promise<RefreshOutcome> | undefined;

  constructor(options: CachedSourceOptions<T>) {
    this.#options = options;
  }

  /** What is known now; undefined until something was loaded or fetched. */
  get current(): T | undefined {
    return this.#value;
  }

  /** When the value was fetched (Unix ms). */
  get fetchedAtMs(): number | undefined {
    return this.#readAtMs;
  }

  /** Reads the file, once. A missing or broken one is as good as none. */
  async load(): Promise<void> {
    if (this.#isLoaded) return;
    this.#isLoaded = true;
    try {
      const text = await readTextFile(this.#options.file, { maxBytes });
      if (text === undefined) return;
      const value = this.#parse(text);
      if (value === undefined || this.#value !== undefined) return;
      this.#value = value;
      this.#readAtMs = (await stat(this.#options.file)).mtimeMs;
    } catch (error) {
      this.#options.logger.warn("catalogue file is not readable", {
        file: this.#options.file,
        reason: describe(error),
      });
    }
  }

  /** Fetches when the value is too old. Calls at the same time share one request; failures are logged, never thrown. */
  refresh(signal: AbortSignal): Promise<RefreshOutcome> {
    this.#refreshing ??= this.#refresh(signal).finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #refresh(signal: AbortSignal): Promise<RefreshOutcome> {
    await this.load();
    const now = this.#options.clock.now();
    if (this.#readAtMs !== undefined && now - this.#readAtMs < this.#options.maxAgeMs) return "current";
    if (this.#failedAtMs !== undefined && now - this.#failedAtMs < pauseAfterFailureMs) return "failed";
    const fetched = await this.#fetch(signal);
    if (fetched.kind === "failed") {
      this.#failedAtMs = now;
      this.#options.logger.debug("catalogue was not refreshed", { url: this.#options.url, reason: fetched.reason });
      return "failed";
    }
    this.#failedAtMs = undefined;
    this.#value = fetched.value;
    this.#readAtMs = now;
    await this.#store(fetched.text);
    return "updated";
  }

  async #fetch(
    signal: AbortSignal,
  ): Promise<{ kind: "fetched"; value: T; text: string } | { kind: "failed"; reason: string }> {
    const response = await httpRequest(this.#options.url, {
      signal,
      timeoutMs,
      totalTimeoutMs: 4 * timeoutMs,
      maxBodyBytes: maxBytes,
      headers: { accept: "application/json" },
    });
    if (response.kind === "failure") return { kind: "failed", reason: response.failure.message };
    if (response.status !== 200) {
      await response.discard();
      return { kind: "failed", reason: `HTTP ${response.status}` };
    }
    const body = await response.text();
    if (body.kind === "failure") return { kind: "failed", reason: body.failure.message };
    const value = this.#parse(body.text);
    return value === undefined
      ? { kind: "failed", reason: "the answer is not a catalogue" }
      : { kind: "fetched", value, text: body.text };
  }

  #parse(text: string): T | undefined {
    const parsed = parseJson(text);
    return parsed.ok ? this.#options.parse(parsed.value) : undefined;
  }

  async #store(text: string): Promise<void> {
    try {
      await mkdir(dirname(this.#options.file), { recursive: true, mode: 0o700 });
      await writeFileAtomic(this.#options.file, text, { fsync: false });
      const at = new Date(this.#options.clock.now());
      await utimes(this.#options.file, at, at);
    } catch (error) {
      // A read-only home still has the value in memory.
      if (systemErrorCode(error) === undefined) throw error;
      this.#options.logger.warn("catalogue was not stored", { file: this.#options.file, reason: describe(error) });
    }
  }
}
