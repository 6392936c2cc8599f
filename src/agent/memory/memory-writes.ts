import { defined } from "#foundation/defined";
import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import type { Decision, MemoryTarget, NoteAction, NoteChange } from "./entries.ts";
import type { Notes } from "./notes.ts";
import type { Parked, PendingCall, PendingWrite, Quarantine } from "./quarantine.ts";

/** Where a change came from; handed on to providers with every write. */
export interface WriteMetadata {
  /** `assistant_tool`, `background_review`, `memory_flush`, `user_confirmation`. */
  readonly writeOrigin: string;
  /** `primary`, `subagent`, `cron`, `flush`, … */
  readonly executionContext: string;
  readonly sessionId: string;
  readonly parentSessionId: string;
  readonly platform: string;
  readonly toolName: string;
  readonly taskId?: string;
  readonly toolCallId?: string;
  /** The entry that a replacement took the place of. */
  readonly replaced?: string;
}

/** A change that is in the file. `content` is the new entry, or for `remove` the entry that is gone. */
export interface MemoryWrite {
  readonly action: NoteAction;
  readonly target: MemoryTarget;
  readonly content: string;
  readonly metadata: WriteMetadata;
}

export interface MemoryWritesDeps {
  readonly notes: Notes;
  readonly quarantine: Quarantine;
  readonly logger: Logger;
  /** Told of every change that reached a file, and of no other. */
  mirror(write: MemoryWrite): void;
  /** Carries out a call of a provider's tool; absent, or undefined: that provider is not in use. */
  callProvider?(call: PendingCall, signal: AbortSignal): Promise<CallOutcome | undefined>;
}

/** What a provider did with a call that had waited. */
export type CallOutcome = { readonly kind: "called" } | { readonly kind: "call-failed"; readonly reason: string };

export type Confirmed = Decision | CallOutcome | { readonly kind: "no-provider"; readonly provider: string };

export interface WriteRequest {
  readonly target: MemoryTarget;
  readonly change: NoteChange;
  readonly metadata: WriteMetadata;
  /** What the turn had read from strangers, if anything: then the change waits for the user. */
  readonly taintedBy?: string | undefined;
}

export type WriteOutcome = Decision | Parked;

/** The one way into the notes: writes, or sets aside what a stranger may have suggested, and tells who listens. */
export class MemoryWrites {
  readonly #deps: MemoryWritesDeps;

  constructor(deps: MemoryWritesDeps) {
    this.#deps = deps;
  }

  async submit(request: WriteRequest, signal: AbortSignal): Promise<WriteOutcome> {
    const { target, change, metadata, taintedBy } = request;
    if (taintedBy === undefined) return this.#write(request, signal);
    // What could never be written is said at once; only what could be is worth a question.
    const preview = await this.#deps.notes.preview(target, change);
    if (preview.kind !== "write") return preview;
    const { sessionId } = metadata;
    return this.#deps.quarantine.park({ kind: "note", target, change, source: taintedBy, sessionId }, signal);
  }

  /** Sets a provider's call aside that a stranger may have suggested. */
  hold(call: Omit<PendingCall, "id" | "atMs" | "kind">, signal: AbortSignal): Promise<Parked> {
    return this.#deps.quarantine.park({ kind: "call", ...call }, signal);
  }

  listPending(): Promise<readonly PendingWrite[]> {
    return this.#deps.quarantine.list();
  }

  /** Carries a pending change out. Undefined: there is none of this id. A change that no longer fits stays pending. */
  confirm(id: string, metadata: WriteMetadata, signal: AbortSignal): Promise<Confirmed | undefined> {
    return this.#deps.quarantine.settle<Confirmed>(
      id,
      async (pending) => {
        const value =
          pending.kind === "call"
            ? await this.#call(pending, signal)
            : await this.#write({ target: pending.target, change: pending.change, metadata }, signal);
        return { value, isDone: value.kind === "write" || value.kind === "already-there" || value.kind === "called" };
      },
      signal,
    );
  }

  async #call(pending: PendingCall, signal: AbortSignal): Promise<Confirmed> {
    const outcome = await this.#deps.callProvider?.(pending, signal);
    return outcome ?? { kind: "no-provider", provider: pending.provider };
  }

  /** Forgets a pending change; false when there is none of this id. */
  async reject(id: string, signal: AbortSignal): Promise<boolean> {
    const work = () => Promise.resolve({ value: true, isDone: true });
    return (await this.#deps.quarantine.settle(id, work, signal)) ?? false;
  }

  async #write(request: WriteRequest, signal: AbortSignal): Promise<Decision> {
    const { target, change, metadata } = request;
    const decision = await this.#deps.notes.change(target, change, signal);
    if (decision.kind !== "write") return decision;
    const { content, replaced } = decision;
    const full = { ...metadata, ...defined({ replaced }) };
    try {
      this.#deps.mirror({ action: change.action, target, content, metadata: full });
    } catch (error) {
      // The note is written; whoever listens cannot undo that.
      this.#deps.logger.warn("a memory write could not be passed on", { reason: describe(error) });
    }
    return decision;
  }
}
