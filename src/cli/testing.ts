import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { PassThrough, Readable, Writable } from "node:stream";
import type { CommandIo } from "./command.ts";
import { runLine } from "./run-line.ts";

export interface CliRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  readonly home: string;
  readonly stdin?: string;
  /** Lines typed at a terminal, each given when the program asks for the next. */
  readonly typed?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly signal?: AbortSignal;
}

/** Runs one line of the program in this process, with streams in memory and a home of its own. */
export async function runCli(args: readonly string[], options: CliOptions): Promise<CliRun> {
  const person = options.typed === undefined ? undefined : typist(options.typed);
  const stdout = gather((text) => person?.answer(text));
  const stderr = gather();
  const io: CommandIo = {
    stdin: person?.stream ?? Readable.from([options.stdin ?? ""]),
    stdout: Object.assign(stdout.stream, { isTTY: options.typed !== undefined, columns: 120 }),
    stderr: stderr.stream,
    env: {
      PATH: process.env["PATH"],
      HOME: path.join(options.home, ".."),
      HERMES_HOME: options.home,
      NO_COLOR: "1",
      NODE_ENV: "test",
      ...options.env,
    },
    cwd: options.cwd ?? options.home,
    signal: options.signal ?? new AbortController().signal,
  };
  const code = await runLine(args, io);
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

/** A home under the temporary folder and the way to remove it again. */
export function temporaryHome(): { readonly home: string; remove(): void } {
  const folder = mkdtempSync(path.join(tmpdir(), "hermes-cli-"));
  return { home: path.join(folder, "home"), remove: () => rmSync(folder, { recursive: true, force: true }) };
}

function gather(onWrite: (text: string) => void = () => undefined) {
  const pieces: string[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      const text = chunk.toString("utf8");
      pieces.push(text);
      onWrite(text);
      done();
    },
  });
  return { stream, text: () => pieces.join("") };
}

/** Somebody who types the next line whenever a question stands open, and leaves when there is none left. */
function typist(lines: readonly string[]) {
  const stream = Object.assign(new PassThrough(), { isTTY: true });
  const left = [...lines];
  const answer = (text: string): void => {
    if (!/[:\]] $/.test(text)) return;
    const line = left.shift();
    setImmediate(() => (line === undefined ? stream.end() : stream.write(`${line}\n`)));
  };
  return { stream, answer };
}
