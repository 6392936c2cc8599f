import { appendFileSync, statSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { describe, systemErrorCode } from "../errors.ts";
import { never } from "../lifecycle/abort.ts";
import { isRecord, mapStrings, toJsonText } from "../text/json.ts";
import { truncateEnd } from "../text/text.ts";
import { type Clock, systemClock } from "../time/clock.ts";
import { withFileLock } from "./file-lock.ts";
import { makeFolders } from "./make-folders.ts";

export type LogLevel = "debug" | "info" | "warn" | "error";
type LogFields = Readonly<Record<string, unknown>>;

/** Where a subsystem says what it did. Never throws and never waits. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger that adds these fields (a session id, say) to every line. */
  child(fields: LogFields): Logger;
}

export interface LogLine {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields;
}

const severity: Readonly<Record<LogLevel, number>> = { debug: 10, info: 20, warn: 30, error: 40 };

/** Any logger is a function of one line; this gives it the interface. */
export function loggerOver(write: (line: LogLine) => void, bound: LogFields = {}): Logger {
  const at =
    (level: LogLevel) =>
    (message: string, fields: LogFields = {}): void =>
      write({ level, message, fields: { ...bound, ...fields } });
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    child: (fields) => loggerOver(write, { ...bound, ...fields }),
  };
}

export const silentLogger: Logger = loggerOver(() => undefined);

/** Sends every line to each of the loggers; each filters for itself. */
export function teeLogger(...loggers: readonly Logger[]): Logger {
  return loggerOver(({ level, message, fields }) => {
    for (const logger of loggers) logger[level](message, fields);
  });
}

export interface LogFileOptions {
  readonly file: string;
  /** Lines below this level are not written (default info). */
  readonly level?: LogLevel;
  /** Takes secrets out before anything is written: a redactor (which also knows telling field names) or a function over each string. */
  readonly redact: { redactDeep(value: unknown): unknown } | ((text: string) => string);
  /** Size at which the file is set aside as `.1` (default 5 MiB). */
  readonly maxBytes?: number;
  /** How many set-aside files are kept (default 3). */
  readonly keep?: number;
  readonly clock?: Clock;
  /** Told once when lines cannot be written, since the log itself cannot say so. */
  readonly onProblem?: (message: string) => void;
}

/** Opens a log of JSON lines. Lines are gathered and written in the background; disposing writes the rest. */
export function openLogger(options: LogFileOptions): Logger & AsyncDisposable {
  const sink = new LogFile(options);
  const lowest = severity[options.level ?? "info"];
  const clock = options.clock ?? systemClock;
  const redactor = options.redact;
  const redact = (value: unknown): unknown =>
    typeof redactor === "function" ? mapStrings(value, redactor) : redactor.redactDeep(value);
  const logger = loggerOver((line) => {
    if (severity[line.level] < lowest) return;
    sink.write(writeLine(line, clock, redact));
  });
  return Object.assign(logger, { [Symbol.asyncDispose]: () => sink[Symbol.asyncDispose]() });
}

/** Redacts values before they become JSON: escaping could hide a secret, and masking inside JSON could break it. */
function writeLine(line: LogLine, clock: Clock, redact: (value: unknown) => unknown): string {
  const head = { time: new Date(clock.now()).toISOString(), level: line.level };
  try {
    const safe = redact({ message: line.message, ...readable(line.fields) });
    const text = toJsonText({ ...head, ...(isRecord(safe) ? safe : { message: "[unreadable]" }) });
    if (text.length <= maxLineLength) return `${text}\n`;
    const start = isRecord(safe) ? truncateEnd(String(safe.message), maxLineLength / 16) : "";
    return `${toJsonText({ ...head, message: start, cutFrom: text.length })}\n`;
  } catch (error) {
    return `${toJsonText({ ...head, message: "a line could not be written", reason: nameOf(error) })}\n`;
  }
}

/** A longer line is cut to its message: one runaway field must not fill the log. */
const maxLineLength = 262_144;

/** What every line has; a field of the same name is written with an underscore before it. */
const reserved: ReadonlySet<string> = new Set(["time", "level", "message"]);

/** Errors have no enumerable fields and would be written as `{}`. */
function readable(fields: LogFields): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [
      reserved.has(key) ? `_${key}` : key,
      value instanceof Error ? { message: describe(value), stack: value.stack } : value,
    ]),
  );
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}

/** Lines waiting to be written at most; a disk that hangs must not fill the memory. */
const maxWaitingLines = 10_000;
const maxBatchLines = 1_000;

class LogFile implements AsyncDisposable {
  readonly #options: LogFileOptions;
  readonly #maxBytes: number;
  #waiting: string[] = [];
  #dropped = 0;
  #writing: Promise<void> | undefined;
  #hasReported = false;

  constructor(options: LogFileOptions) {
    this.#options = options;
    this.#maxBytes = options.maxBytes ?? 5 * 1_048_576;
  }

  write(line: string): void {
    if (this.#waiting.length >= maxWaitingLines) {
      this.#dropped += 1;
      return;
    }
    this.#waiting.push(line);
    this.#writing ??= this.#drain();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
  }

  async #drain(): Promise<void> {
    // One turn of the loop, so that lines written together are appended together.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) {
      if (this.#dropped > 0) {
        this.#waiting.push(
          `${JSON.stringify({ level: "warn", message: "log lines dropped", count: this.#dropped })}\n`,
        );
        this.#dropped = 0;
      }
      try {
        this.#append(await this.#nextBatch());
      } catch (error) {
        this.#report(error);
      }
    }
    this.#writing = undefined;
  }

  /** As many waiting lines as the file has room for; at least one, after setting a full file aside. */
  async #nextBatch(): Promise<string> {
    // Taken before anything can fail: a line that cannot be written must not come up for ever.
    const [first = ""] = this.#waiting.splice(0, 1);
    const size = sizeOf(this.#options.file);
    let room = this.#maxBytes - size - Buffer.byteLength(first);
    if (room < 0 && size > 0) {
      await this.#rotate(size).catch((error: unknown) => this.#report(error));
      room += size;
    }
    let count = 0;
    for (; count < maxBatchLines; count += 1) {
      const line = this.#waiting[count];
      if (line === undefined) break;
      room -= Buffer.byteLength(line);
      if (room < 0) break;
    }
    return first + this.#waiting.splice(0, count).join("");
  }

  /** On this thread: a few lines take microseconds, and the last ones are written while the program waits to leave. */
  #append(text: string): void {
    const { file } = this.#options;
    try {
      appendFileSync(file, text, { mode: 0o600 });
    } catch (error) {
      if (systemErrorCode(error) !== "ENOENT") throw error;
      makeFolders(dirname(file), 0o700);
      appendFileSync(file, text, { mode: 0o600 });
    }
  }

  /** Several processes may share the file: one of them moves it, the others see under the lock that it is done. */
  async #rotate(sizeBefore: number): Promise<void> {
    const { file } = this.#options;
    await withFileLock(
      `${file}.lock`,
      async () => {
        if (sizeOf(file) >= sizeBefore) await shift(file, this.#options.keep ?? 3);
      },
      { signal: never, timeoutMs: 5_000 },
    );
  }

  #report(error: unknown): void {
    if (this.#hasReported) return;
    this.#hasReported = true;
    this.#options.onProblem?.(`Cannot write ${this.#options.file}: ${describe(error)}`);
  }
}

async function shift(file: string, keep: number): Promise<void> {
  if (keep <= 0) return await rm(file, { force: true });
  await rm(`${file}.${keep}`, { force: true });
  for (let number = keep - 1; number >= 1; number -= 1)
    await renameIfPresent(`${file}.${number}`, `${file}.${number + 1}`);
  await renameIfPresent(file, `${file}.1`);
}

async function renameIfPresent(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (systemErrorCode(error) !== "ENOENT") throw error;
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
