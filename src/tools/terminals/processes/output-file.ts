import { createWriteStream, type WriteStream } from "node:fs";
import { open, truncate } from "node:fs/promises";
import type { Logger } from "#foundation/files/logger";
import { keptChars } from "./rolling-text.ts";

const maxBytes = 8 * 1_048_576;

/** The output of a process on the disk, so that it can still be read after a crash. Losing it never hurts the process. */
export class OutputFile {
  readonly #path: string;
  readonly #stream: WriteStream;
  #bytes = 0;

  constructor(path: string, logger: Logger) {
    this.#path = path;
    this.#stream = createWriteStream(path, { flags: "a", mode: 0o600 });
    this.#stream.on("error", (error) => logger.warn("output of a process is not kept", { path, error: error.message }));
  }

  write(text: string): void {
    this.#bytes += Buffer.byteLength(text);
    if (this.#bytes > maxBytes) {
      this.#bytes = 0;
      // Appending goes on at the new end; what is lost is older than anything that would be shown.
      void truncate(this.#path).catch((error: unknown) =>
        this.#stream.destroy(error instanceof Error ? error : undefined),
      );
    }
    if (!this.#stream.destroyed) this.#stream.write(text);
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#stream.destroyed) resolve();
      else this.#stream.end(() => resolve());
    });
  }
}

/** The last part of such a file; empty when it cannot be read. */
export async function readOutputTail(path: string): Promise<string> {
  try {
    await using handle = await open(path, "r");
    const { size } = await handle.stat();
    const bytes = Buffer.alloc(Math.min(size, keptChars));
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, Math.max(0, size - bytes.length));
    return bytes.subarray(0, bytesRead).toString("utf8");
  } catch {
    // It was never written or has been tidied away; the process is worth showing without it.
    return "";
  }
}
