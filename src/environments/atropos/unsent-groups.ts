import { appendFile, readFile, rename, rm } from "node:fs/promises";
import path from "node:path";
import { systemErrorCode } from "#foundation/errors";
import { parseJson } from "#foundation/text/json";
import type { ScoredGroup } from "../env/group.ts";

type Outcome = "sent" | "refused" | "away";

/** Groups the trainer has not got: those it refused are kept for whoever looks, the others until it is back. */
export class UnsentGroups {
  readonly #file: string;
  readonly refused: string;
  #waiting = 0;
  #isSending = false;

  constructor(file: string) {
    this.#file = file;
    this.refused = path.join(path.dirname(file), "refused_groups.jsonl");
  }

  async keep(group: ScoredGroup, outcome: Exclude<Outcome, "sent">): Promise<void> {
    await this.#keepLine(JSON.stringify(group), outcome);
  }

  async #keepLine(line: string, outcome: Exclude<Outcome, "sent">): Promise<void> {
    await appendFile(outcome === "refused" ? this.refused : this.#file, `${line}\n`);
    if (outcome === "away") this.#waiting += 1;
  }

  /** What waits, in its order, until one is not taken; says how many went. */
  async sendAll(send: (group: ScoredGroup) => Promise<Outcome>): Promise<number> {
    if (this.#waiting === 0 || this.#isSending) return 0;
    this.#isSending = true;
    // What fails meanwhile goes to a new file, and nothing is in both.
    const taken = `${this.#file}.sending`;
    let sent = 0;
    try {
      await this.#recover(taken);
      await rename(this.#file, taken);
      this.#waiting = 0;
      let isAway = false;
      for (const line of (await readFile(taken, "utf8")).split("\n")) {
        const parsed = parseJson(line);
        if (line === "") continue;
        const outcome: Outcome = !parsed.ok ? "refused" : isAway ? "away" : await send(parsed.value as ScoredGroup);
        isAway ||= outcome === "away";
        if (outcome === "sent") sent += 1;
        else await this.#keepLine(line, outcome);
        await appendFile(doneFile(taken), ".");
      }
      await removeBoth(taken);
    } finally {
      this.#isSending = false;
    }
    return sent;
  }

  /** A process that was killed while it sent left the rest: it waits again. */
  async #recover(taken: string): Promise<void> {
    const lines = ((await readIfThere(taken)) ?? "").split("\n").filter((line) => line !== "");
    const done = ((await readIfThere(doneFile(taken))) ?? "").length;
    for (const line of lines.slice(done)) await appendFile(this.#file, `${line}\n`);
    await removeBoth(taken);
  }
}

/** Has a byte for each group of the file that was dealt with. */
const doneFile = (taken: string): string => `${taken}.done`;

async function removeBoth(taken: string): Promise<void> {
  // The count goes last: without it everything would be sent again.
  await rm(taken, { force: true });
  await rm(doneFile(taken), { force: true });
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
