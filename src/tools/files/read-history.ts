const maxSeen = 1_000;

/** What a repeated look should be answered with. */
export type Repetition = "first" | "again" | "warn" | "block";

/**
 * Looks of one task, to notice a model that reads the same thing over and over. Counts only
 * consecutive repetitions; any other call starts afresh.
 */
export class ReadHistory {
  readonly #tasks = new Map<string, { last: string; count: number; seen: Map<string, string> }>();

  /** Notes a look and says how often it came in a row: the third warns, the fourth is refused. */
  note(taskId: string, look: string): Repetition {
    const task = this.#task(taskId);
    task.count = task.last === look ? task.count + 1 : 1;
    task.last = look;
    if (task.count >= 4) return "block";
    return task.count === 3 ? "warn" : task.count === 2 ? "again" : "first";
  }

  /** Another tool was used. */
  reset(taskId: string): void {
    const task = this.#tasks.get(taskId);
    if (task !== undefined) task.count = 0;
    if (task !== undefined) task.last = "";
  }

  /** True when this very page was shown before and has not changed since; remembers it otherwise. */
  wasShown(taskId: string, look: string, version: string): boolean {
    const { seen } = this.#task(taskId);
    if (seen.get(look) === version) return true;
    seen.delete(look);
    seen.set(look, version);
    if (seen.size > maxSeen) {
      const oldest = seen.keys().next();
      if (oldest.done !== true) seen.delete(oldest.value);
    }
    return false;
  }

  /** The context lost what was shown (compression, pruning): pages must be shown again. */
  forgetShown(taskId: string): void {
    this.#tasks.get(taskId)?.seen.clear();
  }

  /** The task is over. */
  forget(taskId: string): void {
    this.#tasks.delete(taskId);
  }

  #task(taskId: string) {
    const known = this.#tasks.get(taskId) ?? { last: "", count: 0, seen: new Map<string, string>() };
    this.#tasks.set(taskId, known);
    return known;
  }
}
