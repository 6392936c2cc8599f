import { open } from "node:fs/promises";
import { systemErrorCode } from "#foundation/errors";

const mostBytes = 1_048_576;

/** The last whole lines of a file that others append to; nothing where there is no such file. */
export async function endOfFile(file: string): Promise<string> {
  try {
    await using handle = await open(file, "r");
    const { size } = await handle.stat();
    const start = Math.max(0, size - mostBytes);
    const bytes = Buffer.alloc(size - start);
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, start);
    const text = bytes.subarray(0, bytesRead).toString("utf8");
    return start === 0 ? text : text.slice(text.indexOf("\n") + 1);
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return "";
    throw error;
  }
}
