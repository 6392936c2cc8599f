import { createHash } from "node:crypto";

interface IssuedCall {
  readonly extraContent?: unknown;
  /** The reply that held this call began with signed reasoning. */
  readonly hadReasoning: boolean;
}

interface IssuedReasoning {
  readonly itemId: string;
  readonly encrypted: string;
}

/**
 * What this server has handed out and will recognise: signatures, encrypted reasoning, item ids, opaque call
 * fields. Real providers verify what comes back; strict mode does the same with this memory.
 */
export class Issued {
  readonly #signatures = new Map<string, string>();
  readonly #redacted = new Set<string>();
  readonly #encrypted = new Set<string>();
  readonly #calls = new Map<string, IssuedCall>();
  /** Responses: output item id to the reasoning item it followed. */
  readonly #reasoningOf = new Map<string, IssuedReasoning>();

  sign(text: string, input?: string): string {
    const signature = input ?? `EqQB${digest(`signature:${text}`)}`;
    this.#signatures.set(signature, text);
    return signature;
  }

  redact(text: string): string {
    const data = `EmwK${digest(`redacted:${text}`)}`;
    this.#redacted.add(data);
    return data;
  }

  encrypt(text: string, input?: string): string {
    const encrypted = input ?? `gAAAAAB${digest(`encrypted:${text}`)}`;
    this.#encrypted.add(encrypted);
    return encrypted;
  }

  rememberCall(id: string, call: IssuedCall): void {
    this.#calls.set(id, call);
  }

  rememberFollower(itemId: string, reasoning: IssuedReasoning): void {
    this.#reasoningOf.set(itemId, reasoning);
  }

  textSignedBy(signature: string): string | undefined {
    return this.#signatures.get(signature);
  }

  isRedacted(data: string): boolean {
    return this.#redacted.has(data);
  }

  isEncrypted(content: string): boolean {
    return this.#encrypted.has(content);
  }

  call(id: string): IssuedCall | undefined {
    return this.#calls.get(id);
  }

  reasoningBefore(itemId: string): IssuedReasoning | undefined {
    return this.#reasoningOf.get(itemId);
  }
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}
