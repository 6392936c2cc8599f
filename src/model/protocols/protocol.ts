import type { ModelEvent } from "#conversation";
import type { ModelRequest } from "../request.ts";
import type { ProtocolName } from "../target.ts";
import type { WireMemo } from "./wire-memo.ts";

/** What goes over the wire, without credentials. */
export interface WireRequest {
  readonly method: "POST";
  /** Appended to the target's base URL. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Serialised once; the same request always gives the same bytes. */
  readonly body: string;
  readonly framing: "sse" | "json" | "aws-event-stream";
}

/** One server-sent event (or one AWS event): its name, if any, and its text. */
export interface Frame {
  readonly event: string | undefined;
  readonly data: string;
}

/** What a stream can end with besides good events: the provider said, inside the stream, that it failed. */
export interface StreamFault {
  readonly type: "stream-fault";
  readonly status?: number;
  readonly code?: string;
  readonly message: string;
  readonly body: string;
}

export type Lifted = ModelEvent | StreamFault;

/** Turns the frames of one response into events. Holds the state of that response and nothing else. */
export interface Lift {
  /** Events of one frame; malformed frames give a `stream-fault`, never a throw. */
  step(frame: Frame): readonly Lifted[];
  /** The stream ended: closes what is open. A stream cut before its terminal event gives a `stream-fault`. */
  end(): readonly Lifted[];
}

/** A wire language, as pure functions. */
export interface Protocol {
  readonly name: ProtocolName;
  /** Deterministic, and the same with any memo or none; throws nothing for any transcript. */
  lower(request: ModelRequest, memo?: WireMemo): WireRequest;
  openLift(request: ModelRequest): Lift;
  /** The events of a whole, unstreamed response body (parsed JSON). */
  liftWhole(body: unknown, request: ModelRequest): readonly Lifted[];
}
