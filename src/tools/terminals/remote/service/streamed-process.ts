import { Readable, Writable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { onAbort } from "#foundation/lifecycle/abort";
import { Deferred } from "#foundation/lifecycle/deferred";
import type { ProcessExit } from "#foundation/process/run";
import type { RemoteProcess } from "../remote-host.ts";

/** A program that runs behind an interface of a service: its streams, and a promise of its end. */
export interface StreamedProgram {
  readonly stdout: ReadableStream<Uint8Array>;
  readonly stderr: ReadableStream<Uint8Array>;
  /** Absent where its input is closed from the start. */
  readonly stdin?: { write(bytes: Uint8Array): Promise<void>; close(): Promise<void> } | undefined;
  /** Rejects when nothing more can be learned of it. */
  readonly exitCode: Promise<number>;
  /** Told when our side of it is ended. */
  readonly onKill?: (() => Promise<void>) | undefined;
}

/** What a message to a service may hold. */
const mostBytesAtOnce = 1_048_576;

/** The program as terminals know programs. */
export function streamedProcess(program: StreamedProgram, signal: AbortSignal): RemoteProcess {
  const stdout = Readable.fromWeb(program.stdout);
  const stderr = Readable.fromWeb(program.stderr);
  const killed = new Deferred<ProcessExit>();
  const ended = Promise.all([program.exitCode.catch(() => null), streamEnd(stdout), streamEnd(stderr)]).then(
    ([exitCode]): ProcessExit => ({ exitCode, signal: null }),
  );
  const exited = Promise.race([ended, killed.promise]);
  const kill = async (): Promise<void> => {
    killed.resolve({ exitCode: null, signal: "SIGKILL" });
    stdout.destroy();
    stderr.destroy();
    await program.onKill?.();
  };
  const subscription = onAbort(signal, () => void kill().catch(() => undefined));
  void exited.then(() => subscription[Symbol.dispose]());
  return { stdin: program.stdin === undefined ? null : inputOf(program.stdin), stdout, stderr, exited, kill };
}

/** Settles when a stream has nothing more to say, for whatever reason. */
function streamEnd(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    stream.once("close", () => resolve());
    stream.once("end", () => resolve());
    stream.once("error", () => resolve());
  });
}

function inputOf({ write, close }: NonNullable<StreamedProgram["stdin"]>): Writable {
  const input = new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      inPieces(chunk, write).then(() => done(), done);
    },
    final(done) {
      close().then(() => done(), done);
    },
  });
  // A program may end without reading its input; its exit code tells the story.
  input.on("error", () => undefined);
  return input;
}

async function inPieces(chunk: Uint8Array, write: (bytes: Uint8Array) => Promise<void>): Promise<void> {
  for (let at = 0; at < chunk.length; at += mostBytesAtOnce) await write(chunk.subarray(at, at + mostBytesAtOnce));
}
