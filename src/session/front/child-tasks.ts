import type { SessionEvent } from "../api.ts";

/** Which child agents are at work, learned from the events they send through their parent. */
export class ChildTasks {
  readonly #tasks = new Map<string, { readonly task: string; readonly isBackground: boolean }>();

  note(event: SessionEvent): void {
    if (event.type === "turn-end")
      for (const [id, { isBackground }] of this.#tasks) if (!isBackground) this.#tasks.delete(id);
    if (event.type !== "child-event") return;
    if (event.event.type === "turn-end") this.#tasks.delete(event.childId);
    else this.#tasks.set(event.childId, { task: event.task, isBackground: event.child?.isBackground === true });
  }

  list(): readonly { readonly id: string; readonly task: string }[] {
    return [...this.#tasks].map(([id, { task }]) => ({ id, task }));
  }
}
