import { describe } from "#foundation/errors";
import { parseJson } from "#foundation/text/json";
import { readLines } from "#foundation/text/lines";
import {
  applyInput,
  type CommandView,
  type OpenSession,
  readInput,
  replyOf,
  toWire,
  type WireReply,
  wireVersion,
} from "#session";
import { type CommandIo, exitCodes } from "../command.ts";

/**
 * A chat in which another program speaks for the person: inputs come in as lines of JSON, events and replies go out as
 * such. It ends with the input, when the last turn is over.
 */
export async function runWireChat(session: OpenSession, io: CommandIo): Promise<number> {
  using _telling = tellEvents(session, io);
  const stop = (): void => {
    session.interrupt();
    io.stdin.destroy();
  };
  io.signal.addEventListener("abort", stop, { once: true });
  try {
    for await (const line of readLines(io.stdin)) {
      if (line.trim() !== "") writeLine(io, { type: "reply", ...(await replyTo(line, session, io.signal)) });
    }
    await session.settled();
  } catch (error) {
    if (!io.signal.aborted) throw error;
  } finally {
    io.signal.removeEventListener("abort", stop);
  }
  return io.signal.aborted ? exitCodes.interrupted : exitCodes.ok;
}

/** Writes the events of a session, one per line. */
export function tellEvents(session: OpenSession, io: CommandIo): Disposable {
  return session.subscribe((event, seq) => {
    io.stdout.write(`${JSON.stringify(toWire(event, { sessionId: session.info.id, seq, atMs: Date.now() }))}\n`);
  });
}

/** What a command answered, as the reply that ends the input. */
export function tellView(view: CommandView, io: CommandIo): void {
  writeLine(io, { type: "reply", ...replyOf({ kind: "command", view }) });
}

function writeLine(io: CommandIo, fields: Readonly<Record<string, unknown>>): void {
  io.stdout.write(`${JSON.stringify({ v: wireVersion, ...fields })}\n`);
}

/** Whatever is wrong with a line, the next one counts again. */
async function replyTo(line: string, session: OpenSession, signal: AbortSignal): Promise<WireReply> {
  const parsed = parseJson(line);
  if (!parsed.ok) return { kind: "refused", message: "The line is not JSON." };
  try {
    const input = readInput(parsed.value);
    return { ref: input.ref, ...(await applyInput(session, input, signal)) };
  } catch (error) {
    return { kind: "refused", message: describe(error) };
  }
}
