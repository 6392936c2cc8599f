/** What Hermes remembers of this home, and what waits to be remembered. */
export interface MemoryNotes {
  files(): Promise<readonly NoteFile[]>;
  /** Oldest first. */
  pending(): Promise<readonly PendingChange[]>;
  /** Throws a `UserError` where nothing waits under this id, or where it does not fit any more. */
  confirm(id: string, signal: AbortSignal): Promise<void>;
  reject(id: string, signal: AbortSignal): Promise<void>;
}

export interface NoteFile {
  readonly name: string;
  readonly isEnabled: boolean;
  readonly entries: readonly string[];
  readonly usedCharacters: number;
  readonly limitCharacters: number;
}

/** A change that a turn wanted after it had read words of strangers. */
export interface PendingChange {
  readonly id: string;
  readonly atMs: number;
  /** The file, or the memory provider. */
  readonly target: string;
  /** What had been read. */
  readonly source: string;
  readonly sessionId: string;
  readonly removed: string | undefined;
  readonly added: string | undefined;
}
