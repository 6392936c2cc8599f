import { crc32 } from "node:zlib";

/** One frame of an AWS event stream, as the service would send it. */
export function awsFrame(headers: Readonly<Record<string, string>>, payload: string): Buffer {
  const encoded = Buffer.concat(
    Object.entries(headers).flatMap(([name, value]) => {
      const text = Buffer.from(value);
      const length = Buffer.alloc(3);
      length.writeUInt8(7, 0);
      length.writeUInt16BE(text.length, 1);
      return [Buffer.of(name.length), Buffer.from(name), length, text];
    }),
  );
  const body = Buffer.from(payload);
  const frame = Buffer.alloc(12 + encoded.length + body.length + 4);
  frame.writeUInt32BE(frame.length, 0);
  frame.writeUInt32BE(encoded.length, 4);
  frame.writeUInt32BE(crc32(frame.subarray(0, 8)), 8);
  encoded.copy(frame, 12);
  body.copy(frame, 12 + encoded.length);
  frame.writeUInt32BE(crc32(frame.subarray(0, frame.length - 4)), frame.length - 4);
  return frame;
}

export function awsEvent(type: string, payload: unknown): Buffer {
  const headers = { ":event-type": type, ":content-type": "application/json", ":message-type": "event" };
  return awsFrame(headers, JSON.stringify(payload));
}

export function awsException(type: string, payload: unknown): Buffer {
  return awsFrame({ ":exception-type": type, ":message-type": "exception" }, JSON.stringify(payload));
}
