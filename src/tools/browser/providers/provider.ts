/** A browser somebody else runs for us, paid by time. */
interface ProviderSession {
  /** Where it listens for the DevTools protocol. */
  readonly cdpUrl: string;
  readonly facts: Readonly<Record<string, unknown>>;
  /** Ends it; never throws, since there is nothing to be done about it. */
  release(): Promise<void>;
}

export interface BrowserProvider {
  readonly name: string;
  create(taskId: string, signal: AbortSignal): Promise<ProviderAnswer>;
}

export type ProviderAnswer =
  | { readonly kind: "open"; readonly session: ProviderSession }
  | { readonly kind: "failed"; readonly reason: string };
