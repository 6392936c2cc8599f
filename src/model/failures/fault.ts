import type { HttpFailure } from "#foundation/http/request";
import type { StreamFault } from "../protocols/protocol.ts";

/** What an attempt ran into, as the transport saw it, before anyone says what it means. */
export type AttemptFault =
  | {
      readonly kind: "http";
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      /** Bounded by the transport. */
      readonly body: string;
    }
  | { readonly kind: "connection"; readonly failure: HttpFailure }
  | { readonly kind: "stream"; readonly fault: StreamFault; readonly textShown: boolean }
  | { readonly kind: "stale"; readonly waitedMs: number; readonly textShown?: boolean }
  /** The response had the right status and the wrong shape. */
  | { readonly kind: "invalid"; readonly reason: string }
  | { readonly kind: "key-scope"; readonly host: string }
  | { readonly kind: "budget"; readonly message: string }
  /** Something threw where no status and no wire was: a transport of a plugin, another program's client. */
  | { readonly kind: "thrown"; readonly error: unknown; readonly textShown?: boolean };

/** What is known about the attempt; some faults mean different things for large and small requests. */
export interface FailureFacts {
  readonly provider: string;
  readonly model: string;
  /** Estimated size of the request. */
  readonly tokens: number;
  readonly window: number;
  readonly messageCount: number;
  readonly nowMs: number;
  /** Scheme, host and path that were called, without query; named when an address does not exist. */
  readonly endpoint?: string;
}
