import { UserError } from "#foundation/errors";
import type { CommandIo } from "../command.ts";

const mostBytes = 1_048_576;

/** All of standard input as text. */
export async function readStdin(io: CommandIo): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of io.stdin) {
    io.signal.throwIfAborted();
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > mostBytes) throw new UserError("Standard input is larger than 1 MB.", { code: "input_too_large" });
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString("utf8");
}
