import type { WireRequest } from "../protocols/protocol.ts";
import type { FrameDecoder } from "./frames.ts";

/** The decoder of a framing, loaded when the first response needs it. */
export async function openDecoder(framing: Exclude<WireRequest["framing"], "json">): Promise<FrameDecoder> {
  if (framing === "sse") {
    const { SseDecoder } = await import("./sse.ts");
    return new SseDecoder();
  }
  const { AwsEventDecoder } = await import("./aws-event-stream.ts");
  return new AwsEventDecoder();
}
