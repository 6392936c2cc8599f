import { appendFile, mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import type { CDPSession } from "playwright-core";
import { describe } from "#foundation/errors";
import { ensureDir } from "#foundation/files/files";
import type { Logger } from "#foundation/files/logger";
import { newId } from "#foundation/text/ids";
import type { Clock } from "#foundation/time/clock";

export interface RecordingDeps {
  /** `browser_recordings/`: one folder for each recorded browser. */
  readonly root: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

const keptMs = 72 * 3_600_000;
const mostFrames = 5_000;
const frameEveryMs = 500;

/**
 * What a browser showed, as numbered pictures and a line for each in `frames.jsonl`. Pictures instead of a
 * film, since making a film needs a program that this one does not bring.
 */
export class Recording implements AsyncDisposable {
  readonly folder: string;
  readonly #deps: RecordingDeps;
  #frames = 0;
  #lastMs = Number.NEGATIVE_INFINITY;
  #tail: Promise<void> = Promise.resolve();
  #isClosed = false;

  private constructor(folder: string, deps: RecordingDeps) {
    this.folder = folder;
    this.#deps = deps;
  }

  /** Starts one, and drops those older than three days. */
  static async start(deps: RecordingDeps): Promise<Recording> {
    await ensureDir(deps.root, 0o700);
    await dropOld(deps);
    const folder = path.join(deps.root, newId("rec"));
    await mkdir(folder, { mode: 0o700 });
    return new Recording(folder, deps);
  }

  /** Follows a page; what cannot be kept never disturbs the browser. */
  async follow(session: CDPSession, url: () => string): Promise<void> {
    session.on("Page.screencastFrame", ({ data, sessionId }) => {
      session.send("Page.screencastFrameAck", { sessionId }).catch(() => undefined);
      this.#keep(data, url());
    });
    await session.send("Page.startScreencast", { format: "jpeg", quality: 60, maxWidth: 1280, maxHeight: 800 });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await this.#tail;
  }

  #keep(data: string, url: string): void {
    const nowMs = this.#deps.clock.now();
    if (this.#isClosed || this.#frames >= mostFrames || nowMs - this.#lastMs < frameEveryMs) return;
    this.#lastMs = nowMs;
    this.#frames += 1;
    const file = `${String(this.#frames).padStart(5, "0")}.jpg`;
    // The query may hold what should not be kept.
    const line = `${JSON.stringify({ file, at: new Date(nowMs).toISOString(), url: url.replace(/[?#].*$/, "") })}\n`;
    this.#tail = this.#tail
      .then(() => writeFile(path.join(this.folder, file), Buffer.from(data, "base64"), { mode: 0o600 }))
      .then(() => appendFile(path.join(this.folder, "frames.jsonl"), line, { mode: 0o600 }))
      .catch((error: unknown) =>
        this.#deps.logger.warn("A picture of the browser was not kept", { error: describe(error) }),
      );
  }
}

async function dropOld({ root, clock }: RecordingDeps): Promise<void> {
  for (const name of await readdir(root)) {
    const folder = path.join(root, name);
    const facts = await stat(folder).catch(() => undefined);
    if (facts?.isDirectory() === true && clock.now() - facts.mtimeMs > keptMs)
      await rm(folder, { recursive: true, force: true });
  }
}
