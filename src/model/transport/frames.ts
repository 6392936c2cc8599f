import { HermesError } from "#foundation/errors";
import type { Frame } from "../protocols/protocol.ts";

/** Bytes of a response body to frames, in whatever pieces the bytes come. */
export interface FrameDecoder {
  /** Throws a {@link FramingError} when the bytes cannot be frames. */
  push(bytes: Uint8Array): readonly Frame[];
  /** The body is over: what was complete but not closed. */
  end(): readonly Frame[];
}

/** The bytes break the framing, or one frame is larger than anything a model says. */
export class FramingError extends HermesError {
  override readonly name = "FramingError";

  constructor(message: string) {
    super(message, { code: "bad_framing" });
  }
}

/** Larger than any event of any provider; an endless line must not fill the memory. */
export const maxFrameBytes = 16 * 1024 * 1024;
