import { describe } from "#foundation/errors";
import { readTextFile, withFileLock, writeFileAtomic } from "#foundation/files/files";
import type { Logger } from "#foundation/files/logger";
import type { HermesHome } from "#foundation/files/paths";
import { Mutex } from "#foundation/lifecycle/mutex";
import { isRecord, parseJson } from "#foundation/text/json";
import type { Clock } from "#foundation/time/clock";

export interface SkillUse {
  readonly loads: number;
  readonly edits: number;
  /** Milliseconds since 1970. */
  readonly lastUsedAtMs: number;
}

const maxBytes = 4 * 1_048_576;

/** How often each skill was loaded and changed, and when last. Kept in `skills/.usage.json`; losing it loses only figures. */
export class SkillUsage {
  readonly #file: string;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #mutex = new Mutex();

  constructor(home: HermesHome, options: { readonly clock: Clock; readonly logger: Logger }) {
    this.#file = home.at("skills", ".usage.json");
    this.#clock = options.clock;
    this.#logger = options.logger;
  }

  /** Never fails: a figure is not worth a failed call. */
  async record(name: string, what: "load" | "edit", signal: AbortSignal): Promise<void> {
    try {
      await this.#mutex.run(
        () => withFileLock(`${this.#file}.lock`, () => this.#add(name, what), { signal, timeoutMs: 2_000 }),
        signal,
      );
    } catch (error) {
      this.#logger.debug("the use of a skill was not recorded", { name, reason: describe(error) });
    }
  }

  async all(): Promise<ReadonlyMap<string, SkillUse>> {
    const text = await readTextFile(this.#file, { maxBytes });
    const parsed = text === undefined ? undefined : parseJson(text);
    if (parsed?.ok !== true || !isRecord(parsed.value)) return new Map();
    return new Map(Object.entries(parsed.value).flatMap(([name, value]) => readUse(name, value)));
  }

  async #add(name: string, what: "load" | "edit"): Promise<void> {
    const uses = await this.all();
    const known = uses.get(name) ?? { loads: 0, edits: 0, lastUsedAtMs: 0 };
    const next = {
      loads: known.loads + (what === "load" ? 1 : 0),
      edits: known.edits + (what === "edit" ? 1 : 0),
      lastUsedAtMs: this.#clock.now(),
    };
    const all = Object.fromEntries([...uses, [name, next]]);
    await writeFileAtomic(this.#file, JSON.stringify(all), { fsync: false });
  }
}

function readUse(name: string, value: unknown): readonly [string, SkillUse][] {
  if (!isRecord(value)) return [];
  const { loads, edits, lastUsedAtMs } = value;
  const isUse = [loads, edits, lastUsedAtMs].every((one) => typeof one === "number" && Number.isFinite(one));
  return isUse ? [[name, { loads, edits, lastUsedAtMs } as SkillUse]] : [];
}
