import { randomBytes } from "node:crypto";
import { never } from "#foundation/lifecycle/abort";
import { Mutex } from "#foundation/lifecycle/mutex";
import type { Clock } from "#foundation/time/clock";
import { processStartedAtMs } from "../process-start-time.ts";
import type { BackgroundProcess } from "./background-process.ts";
import { claimEnded, claimRecords, type RecordFile, type RecordOwner, writeRecords } from "./process-record.ts";

/** Keeps the list of running processes in a file that programs of the same home share. */
export class RecordKeeper {
  readonly #file: string;
  readonly #clock: Clock;
  readonly #saving = new Mutex();
  #isSaveWanted = false;
  /** Something of this program stands in the file. */
  #isListed = false;
  #owner: RecordOwner | undefined;

  constructor(file: string, clock: Clock) {
    this.#file = file;
    this.#clock = clock;
  }

  /** What programs that are gone have left running; it is this program's from now on. */
  async claim(signal: AbortSignal): ReturnType<typeof claimRecords> {
    const records = await claimRecords(await this.#recordFile(signal));
    this.#isListed ||= records.length > 0;
    return records;
  }

  /** What ended together with its program and somebody waits to hear of. */
  async claimEnded(signal: AbortSignal): ReturnType<typeof claimEnded> {
    return await claimEnded(await this.#recordFile(signal));
  }

  /** Saves that come while one runs are done by the next one together. */
  async save(running: () => readonly BackgroundProcess[]): Promise<void> {
    this.#isSaveWanted = true;
    await this.#saving.run(async () => {
      if (!this.#isSaveWanted) return;
      this.#isSaveWanted = false;
      const now = running();
      // A program that never ran anything leaves no list behind, and does not wait for those of others.
      if (now.length === 0 && !this.#isListed) return;
      await writeRecords(await this.#recordFile(never), now);
      this.#isListed = now.length > 0;
    });
  }

  async #recordFile(signal: AbortSignal): Promise<RecordFile> {
    this.#owner ??= {
      id: `${process.pid}-${randomBytes(4).toString("hex")}`,
      pid: process.pid,
      startedAtMs: await processStartedAtMs(process.pid, signal),
    };
    return { file: this.#file, owner: this.#owner, nowMs: this.#clock.now(), signal };
  }
}
