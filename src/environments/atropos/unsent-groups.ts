import { appendFile, readFile, rename, rm } from "node:fs/promises";
import path from "node:path";
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
    await appendFile(outcome === "refused" ? this.refused : this.#file, `${JSON.stringify(group)}\n`);
    if (outcome === "away") this.#waiting += 1;
  }

  /** Those of this run, in their order, until one is not taken; says how many went. */
  async sendAll(send: (group: ScoredGroup) => Promise<Outcome>): Promise<number> {
    if (this.#waiting === 0 || this.#isSending) return 0;
    this.#isSending = true;
    // What fails meanwhile goes to a new file, and nothing is in both.
    const taken = `${this.#file}.sending`;
    let sent = 0;
    try {
      await rename(this.#file, taken);
      this.#waiting = 0;
      let isAway = false;
      for (const line of (await readFile(taken, "utf8")).split("\n")) {
        const parsed = parseJson(line);
        if (line === "" || !parsed.ok) continue;
        const group = parsed.value as ScoredGroup;
        const outcome: Outcome = isAway ? "away" : await send(group);
        isAway ||= outcome === "away";
        if (outcome === "sent") sent += 1;
        else await this.keep(group, outcome);
      }
      await rm(taken);
    } finally {
      this.#isSending = false;
    }
    return sent;
  }
}
