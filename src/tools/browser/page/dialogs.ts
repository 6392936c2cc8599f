import { type Deadline, deadline, onAbort } from "#foundation/lifecycle/abort";
import type { Clock } from "#foundation/time/clock";
import type { DialogPolicy } from "../options.ts";

/** What a page shows and waits on; the part of Playwright's dialog that is used. */
export interface LiveDialog {
  type(): string;
  message(): string;
  defaultValue(): string;
  accept(promptText?: string): Promise<void>;
  dismiss(): Promise<void>;
}

export type DialogClosedBy = "agent" | "auto_policy" | "watchdog" | "remote";

export interface DialogRecord {
  readonly id: string;
  readonly type: string;
  readonly message: string;
  readonly default_prompt: string;
  readonly opened_at: number;
}

export interface ClosedDialog extends DialogRecord {
  readonly closed_by: DialogClosedBy;
  readonly action: "accept" | "dismiss" | "unknown";
}

interface Pending {
  readonly record: DialogRecord;
  readonly live: LiveDialog;
  readonly limit: Deadline;
  readonly link: Disposable;
}

const remembered = 20;
const longestMessage = 2_000;

/**
 * Answers blocking dialogs. A dialog stops the scripts of its page, so it is either answered at once
 * by policy, or held for the agent until a watchdog dismisses it.
 */
export class DialogSupervisor implements Disposable {
  readonly #policy: DialogPolicy;
  readonly #timeoutMs: number;
  readonly #clock: Clock;
  readonly #pending = new Map<string, Pending>();
  #recent: ClosedDialog[] = [];
  #waiting = new Set<() => void>();
  #count = 0;

  constructor(options: { readonly policy: DialogPolicy; readonly timeoutMs: number; readonly clock: Clock }) {
    this.#policy = options.policy;
    this.#timeoutMs = options.timeoutMs;
    this.#clock = options.clock;
  }

  get pending(): readonly DialogRecord[] {
    return [...this.#pending.values()].map((one) => one.record);
  }

  get recent(): readonly ClosedDialog[] {
    return this.#recent;
  }

  /** Resolves when the next dialog is held for the agent. */
  opened(): { readonly promise: Promise<void>; cancel(): void } {
    if (this.#pending.size > 0) return { promise: Promise.resolve(), cancel: () => undefined };
    let wake: () => void = () => undefined;
    const promise = new Promise<void>((resolve) => {
      wake = resolve;
    });
    this.#waiting.add(wake);
    return { promise, cancel: () => this.#waiting.delete(wake) };
  }

  async open(live: LiveDialog): Promise<void> {
    this.#count += 1;
    const record: DialogRecord = {
      id: `d${this.#count}`,
      type: live.type(),
      message: live.message().slice(0, longestMessage),
      default_prompt: live.defaultValue().slice(0, longestMessage),
      opened_at: this.#clock.now(),
    };
    if (this.#policy !== "must_respond") {
      const action = this.#policy === "auto_accept" ? "accept" : "dismiss";
      await close(live, action, undefined);
      this.#remember({ ...record, closed_by: "auto_policy", action });
      return;
    }
    const limit = deadline(this.#timeoutMs);
    const link = onAbort(limit.signal, () => void this.answer(record.id, { action: "dismiss", by: "watchdog" }));
    this.#pending.set(record.id, { record, live, limit, link });
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  /** Answers the named dialog, or the oldest one. Undefined when there is none. */
  async answer(
    id: string | undefined,
    how: {
      readonly action: "accept" | "dismiss";
      readonly by: DialogClosedBy;
      readonly promptText?: string | undefined;
    },
  ): Promise<ClosedDialog | undefined> {
    const key = id ?? this.#pending.keys().next().value;
    const found = key === undefined ? undefined : this.#take(key);
    if (found === undefined) return undefined;
    const isOurs = await close(found.live, how.action, how.promptText);
    const closed: ClosedDialog = {
      ...found.record,
      closed_by: isOurs ? how.by : "remote",
      action: isOurs ? how.action : "unknown",
    };
    this.#remember(closed);
    return closed;
  }

  /** Somebody else closed what is open: another client, or the page went away. */
  closedElsewhere(): void {
    for (const key of [...this.#pending.keys()]) {
      const found = this.#take(key);
      if (found !== undefined) this.#remember({ ...found.record, closed_by: "remote", action: "unknown" });
    }
  }

  [Symbol.dispose](): void {
    this.closedElsewhere();
    this.#waiting.clear();
  }

  #take(key: string): Pending | undefined {
    const found = this.#pending.get(key);
    if (found === undefined) return undefined;
    this.#pending.delete(key);
    found.link[Symbol.dispose]();
    found.limit[Symbol.dispose]();
    return found;
  }

  #remember(closed: ClosedDialog): void {
    this.#recent = [...this.#recent, closed].slice(-remembered);
  }
}

/** False when the dialog was already gone. */
async function close(live: LiveDialog, action: "accept" | "dismiss", promptText: string | undefined): Promise<boolean> {
  try {
    await (action === "accept" ? live.accept(promptText) : live.dismiss());
    return true;
  } catch {
    return false;
  }
}
