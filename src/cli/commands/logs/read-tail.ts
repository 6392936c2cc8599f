import { open } from "node:fs/promises";
import { systemErrorCode } from "#foundation/errors";

const mostBytes = 32 * 1_048_576;

export interface Tail {
  /** The last lines, oldest first. */
  readonly lines: readonly string[];
  /** Where the file ended when it was read. */
  readonly size: number;
}

/** The end of a file as lines; undefined when there is no such file. Of a very large one only the last megabytes. */
export async function readTail(file: string): Promise<Tail | undefined> {
  try {
    await using handle = await open(file, "r");
    const { size } = await handle.stat();
    const start = Math.max(0, size - mostBytes);
    const bytes = Buffer.alloc(size - start);
    await handle.read(bytes, 0, bytes.length, start);
    const text = bytes.toString("utf8");
    const whole = start === 0 ? text : text.slice(text.indexOf("\n") + 1);
    return { lines: whole.split("\n").filter((line) => line !== ""), size };
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** What came after `from`, and where the file ends now. A file that got shorter was rotated and is read anew. */
export async function readSince(file: string, from: number): Promise<{ readonly text: string; readonly size: number }> {
  try {
    await using handle = await open(file, "r");
    const { size } = await handle.stat();
    const start = size < from ? 0 : from;
    const bytes = Buffer.alloc(Math.min(mostBytes, size - start));
    await handle.read(bytes, 0, bytes.length, start);
    return { text: bytes.toString("utf8"), size: start + bytes.length };
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return { text: "", size: 0 };
    throw error;
  }
}
