import {
  type Confirmed,
  type FlushReason,
  type MemoryTarget,
  type MemoryWrites,
  memoryTargets,
  type Notes,
  pendingText,
  type Quarantine,
  sizeOf,
} from "#agent";
import { never } from "#foundation/lifecycle/abort";
import type { SessionScope } from "#tools";

/** What one file of notes holds. */
export interface RememberedNotes {
  readonly about: MemoryTarget;
  readonly file: string;
  readonly entries: readonly string[];
  /** In characters. */
  readonly used: number;
  readonly limit: number;
}

export interface MemoryService {
  /** The notes as they are now; none where memory is off. */
  remembered(): Promise<readonly RememberedNotes[]>;
  /** Writes that wait for the person. */
  pending(): Promise<readonly { readonly id: string; readonly text: string; readonly source: string }[]>;
  confirm(id: string): Promise<string>;
  reject(id: string): Promise<string>;
  /** The words of this conversation are about to be lost: one chance to keep what is worth keeping. */
  flush(reason: Exclude<FlushReason, "compression">, signal: AbortSignal): Promise<void>;
  /** The conversation is over: the memory provider hears it, and is closed after that. */
  end(signal: AbortSignal): Promise<void>;
}

export interface MemoryServiceDeps {
  /** Undefined where memory is off. */
  readonly memory:
    | { readonly writes: MemoryWrites; readonly quarantine: Quarantine; readonly notes: Notes }
    | undefined;
  readonly scope: SessionScope;
  readonly sessionId: string;
  readonly flush: MemoryService["flush"];
  readonly end: MemoryService["end"];
}

const unknown = "There is no such entry.";

export function memoryService({ memory, scope, sessionId, flush, end }: MemoryServiceDeps): MemoryService {
  return {
    flush,
    end,
    remembered: async () => (memory === undefined ? [] : await rememberedIn(memory.notes)),
    pending: async () =>
      ((await memory?.quarantine.list()) ?? []).map((one) => ({
        id: one.id,
        text: pendingText(one),
        source: one.source,
      })),
    async confirm(id) {
      if (memory === undefined) return "Memory is off in this session.";
      const metadata = {
        writeOrigin: "user_confirmation",
        executionContext: "primary",
        sessionId,
        parentSessionId: "",
        platform: scope.source,
        toolName: "memory",
      };
      const outcome = await memory.writes.confirm(id, metadata, never);
      return outcome === undefined ? unknown : confirmedText(outcome);
    },
    reject: async (id) => ((await memory?.writes.reject(id, never)) === true ? "Dropped." : unknown),
  };
}

async function rememberedIn(notes: Notes): Promise<readonly RememberedNotes[]> {
  const kept = memoryTargets.filter((about) => notes.settings[about].isEnabled);
  return await Promise.all(
    kept.map(async (about) => {
      const entries = await notes.read(about);
      const { limit } = notes.settings[about];
      return { about, file: notes.pathOf(about), entries, used: sizeOf(entries), limit };
    }),
  );
}

function confirmedText(outcome: Confirmed): string {
  switch (outcome.kind) {
    case "write":
    case "already-there":
    case "called":
      return "Remembered.";
    case "no-provider":
      return `Not written: the memory provider ${outcome.provider} is not in use. The entry is kept.`;
    case "call-failed":
      return `Not written: ${outcome.reason}. The entry is kept.`;
    default:
      return `Not written: ${outcome.kind}.`;
  }
}
