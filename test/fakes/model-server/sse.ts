import type { Frame } from "./render/wire-reply.ts";

/** One frame as it stands on the wire. */
export function encodeFrame(frame: Frame, lineEnding: "\n" | "\r\n" = "\n"): Buffer {
  if (frame.kind === "bytes") return frame.bytes;
  const lines =
    frame.kind === "comment"
      ? [`: ${frame.text}`]
      : [...(frame.event === undefined ? [] : [`event: ${frame.event}`]), `data: ${frame.data}`];
  return Buffer.from(`${lines.join(lineEnding)}${lineEnding}${lineEnding}`, "utf8");
}

/** The same frame with only the first half of what it wanted to say; the framing around it stays intact. */
export function damageFrame(frame: Frame): Frame {
  switch (frame.kind) {
    case "event":
      return { ...frame, data: frame.data.slice(0, Math.ceil(frame.data.length / 2)) };
    case "comment":
      return frame;
    case "bytes":
      return { ...frame, bytes: frame.bytes.subarray(0, Math.ceil(frame.bytes.length / 2)) };
  }
}
