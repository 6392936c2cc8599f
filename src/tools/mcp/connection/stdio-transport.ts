import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { defined } from "#foundation/defined";
import { never } from "#foundation/lifecycle/abort";
import { type ProcessHandle, spawnProcess } from "#foundation/process/run";
import { isRecord, parseJson } from "#foundation/text/json";
import type { TerminalWall } from "../../terminals/local/local-terminal.ts";

const maxMessageBytes = 10 * 1024 * 1024;
const closeGraceMs = 2_000;

export interface StdioOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** What the server writes beside the protocol, as it comes. */
  onStderr(text: string): void;
  /** Looks after what the program must not change, before each request and after each answer. */
  readonly wall?: Pick<TerminalWall, "begin" | "settle"> | undefined;
  /** The program is gone. */
  onEnd?(): void;
  /** Told the group leader's number, so that somebody ends it even if this program is killed. */
  adoptProcess?(pid: number): Disposable | undefined;
}

/**
 * Speaks to a child over its standard streams, one JSON message a line. The library's own transport is
 * not used because it signals only the direct child: `npx` and shells leave the real server behind.
 *
 * 1. The child leads its own process group; closing ends the group, TERM then KILL.
 * 2. A line that is not a message is reported and skipped; a message that is too long ends the connection.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #options: StdioOptions;
  #child: ProcessHandle | undefined;
  #adoption: Disposable | undefined;
  #isClosed = false;
  /** Messages of the program, one after the other. */
  #received: Promise<void> = Promise.resolve();

  constructor(options: StdioOptions) {
    this.#options = options;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  async start(): Promise<void> {
    const { command, args, env, cwd, wall } = this.#options;
    // What it does as it starts is looked at with its first answer.
    wall?.begin();
    const child = await spawnProcess(command, args, {
      env: { ...env },
      ...defined({ cwd }),
      signal: never,
      stdin: "pipe",
      graceMs: closeGraceMs,
    });
    this.#child = child;
    this.#adoption = this.#options.adoptProcess?.(child.pid);
    const frames = new LineFrames(
      (line) => this.#receive(line),
      () => void this.#tooLong(),
    );
    child.stdout.on("data", (chunk: Buffer) => frames.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => this.#options.onStderr(chunk.toString("utf8")));
    void child.exited.then(() => this.#received).then(() => this.#ended());
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (this.#isClosed || stdin === undefined || stdin === null || !stdin.writable) {
      throw new Error("the server's program has ended");
    }
    if ("method" in message && "id" in message && message.method !== "initialize") this.#options.wall?.begin();
    await new Promise<void>((resolve, reject) => {
      stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    });
  }

  /** Closes its input first, which a well-behaved server takes as the sign to leave; then signals. */
  async close(): Promise<void> {
    this.#child?.stdin?.end();
    await this.#child?.kill({ graceMs: closeGraceMs });
    await this.#child?.exited;
    this.#ended();
  }

  #receive(line: string): void {
    const parsed = parseJson(line);
    if (parsed.ok && isMessage(parsed.value)) {
      const message = parsed.value;
      this.#received = this.#received
        .then(() => this.#handOver(message))
        .catch((error: unknown) => this.onerror?.(error instanceof Error ? error : new Error(String(error))));
    } else this.onerror?.(new Error(`the server wrote a line that is not a message (${line.length} characters)`));
  }

  /** An answer counts once it was seen to what the program did for it. */
  async #handOver(message: JSONRPCMessage): Promise<void> {
    if (!("method" in message))
      for (const note of (await this.#options.wall?.settle()) ?? []) this.#options.onStderr(note);
    this.onmessage?.(message);
  }

  async #tooLong(): Promise<void> {
    this.onerror?.(new Error(`the server sent a message of more than ${maxMessageBytes} bytes`));
    await this.close();
  }

  #ended(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#adoption?.[Symbol.dispose]();
    this.#options.onEnd?.();
    this.onclose?.();
  }
}

function isMessage(value: unknown): value is JSONRPCMessage {
  return isRecord(value) && value["jsonrpc"] === "2.0";
}

/** Splits bytes at line ends and never holds more than one message may be long. */
class LineFrames {
  readonly #onLine: (line: string) => void;
  readonly #onTooLong: () => void;
  #parts: Buffer[] = [];
  #size = 0;
  #isBroken = false;

  constructor(onLine: (line: string) => void, onTooLong: () => void) {
    this.#onLine = onLine;
    this.#onTooLong = onTooLong;
  }

  push(chunk: Buffer): void {
    let rest = chunk;
    while (!this.#isBroken) {
      const end = rest.indexOf(10);
      if (end < 0) break;
      this.#take(rest.subarray(0, end));
      const line = Buffer.concat(this.#parts).toString("utf8").trim();
      this.#parts = [];
      this.#size = 0;
      rest = rest.subarray(end + 1);
      if (line !== "" && !this.#isBroken) this.#onLine(line);
    }
    if (!this.#isBroken) this.#take(rest);
  }

  #take(part: Buffer): void {
    this.#size += part.length;
    this.#parts.push(part);
    if (this.#size <= maxMessageBytes) return;
    this.#isBroken = true;
    this.#parts = [];
    this.#onTooLong();
  }
}
