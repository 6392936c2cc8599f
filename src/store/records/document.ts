/** Something a surface keeps for later that is no conversation: a stored response, an answer that may be asked for again. */
export interface NewDocument {
  readonly kind: string;
  readonly key: string;
  /** Stored as JSON. */
  readonly value: unknown;
  /** Undefined: kept until it is removed or trimmed. */
  readonly expiresAtMs?: number | undefined;
}

export interface Document extends NewDocument {
  readonly writtenAtMs: number;
}
