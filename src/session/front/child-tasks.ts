import type { SessionEvent } from "../api.ts";

/** Which child agents are at work, learned from the events they send through their parent. */
export class ChildTasks {
  readonly #tasks = new Map<string, string>();

  note(event: SessionEvent): void {
    if (event.type === "turn-end") this.#tasks.clear();
    if (event.type !== "child-event") return;
    if (event.event.type === "turn-end") this.#tasks.delete(event.childId);
    else this.#tasks.set(event.childId, event.task);
  }

  list(): readonly { readonly id: string; readonly task: string }[] {
    return [...this.#tasks].map(([id, task]) => ({ id, task }));
  }
}
