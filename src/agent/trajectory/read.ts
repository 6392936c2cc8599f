import { createReadStream } from "node:fs";
import { UserError } from "#foundation/errors";
import { isRecord, parseJson } from "#foundation/text/json";

export interface LoadOptions {
  /** What to do with a line that is not a JSON object (default `throw`). */
  readonly onInvalid?: "throw" | "skip";
  readonly signal: AbortSignal;
}

/** The objects of a trajectory file, one per line that is not blank, read as they are asked for. */
export async function* loadTrajectories(
  path: string,
  options: LoadOptions,
): AsyncGenerator<Readonly<Record<string, unknown>>, void, undefined> {
  let number = 0;
  for await (const line of linesOf(path, options.signal)) {
    number += 1;
    const text = line.trim();
    if (text === "") continue;
    const parsed = parseJson(text);
    if (parsed.ok && isRecord(parsed.value)) yield parsed.value;
    else if (options.onInvalid !== "skip") throw invalidLine(path, number);
  }
}

/** Split at newlines only: the line readers of Node also break at U+2028, which stands unescaped in these files. */
async function* linesOf(path: string, signal: AbortSignal): AsyncGenerator<string, void, undefined> {
  let pieces: string[] = [];
  for await (const chunk of createReadStream(path, { encoding: "utf8", signal }) as AsyncIterable<string>) {
    const [first = "", ...rest] = chunk.split("\n");
    pieces.push(first);
    for (const next of rest) {
      yield pieces.join("");
      pieces = [next];
    }
  }
  yield pieces.join("");
}

function invalidLine(path: string, number: number): UserError {
  return new UserError(`Line ${number} of ${path} is not a JSON object.`, {
    hint: "Remove the line, or skip invalid lines.",
    code: "trajectory_invalid_line",
    data: { path, line: number },
  });
}
