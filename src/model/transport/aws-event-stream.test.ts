import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { awsEvent, awsException, awsFrame } from "../testing/aws-frames.ts";
import { AwsEventDecoder } from "./aws-event-stream.ts";
import { FramingError } from "./frames.ts";

describe("AWS event streams", () => {
  const stream = Buffer.concat([
    awsEvent("messageStart", { role: "assistant" }),
    awsEvent("contentBlockDelta", { delta: { text: "Grüße 🎉" } }),
    awsException("throttlingException", { message: "slow down" }),
  ]);

  it("reads events and exceptions, however the bytes are cut [20:R1.65]", () => {
    const expected = [
      { event: "messageStart", data: '{"role":"assistant"}' },
      { event: "contentBlockDelta", data: '{"delta":{"text":"Grüße 🎉"}}' },
      { event: "exception/throttlingException", data: '{"message":"slow down"}' },
    ];
    expect(new AwsEventDecoder().push(stream)).toEqual(expected);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 40 }), (sizes) => {
        const decoder = new AwsEventDecoder();
        const frames = [];
        let at = 0;
        for (const size of [...sizes, stream.length]) {
          frames.push(...decoder.push(stream.subarray(at, at + size)));
          at += size;
        }
        expect(frames).toEqual(expected);
      }),
    );
  });

  it("refuses a frame whose checksum is wrong, wherever the damage is", () => {
    const frame = awsEvent("messageStart", { role: "assistant" });
    fc.assert(
      fc.property(fc.nat(frame.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const damaged = Buffer.from(frame);
        damaged[at] = (damaged[at] ?? 0) ^ change;
        const decoder = new AwsEventDecoder();
        expect(() => {
          if (decoder.push(damaged).length === 0) throw new FramingError("nothing was read");
        }).toThrow(FramingError);
      }),
    );
  });

  it("refuses a frame larger than anything before waiting for it", () => {
    const decoder = new AwsEventDecoder(1_000);
    expect(() => decoder.push(awsEvent("x", { text: "y".repeat(2_000) }).subarray(0, 12))).toThrow(FramingError);
  });

  it("reads errors that have no payload", () => {
    const frame = awsFrame(
      { ":message-type": "error", ":error-code": "InternalFailure", ":error-message": "oops" },
      "",
    );
    expect(new AwsEventDecoder().push(frame)).toEqual([
      { event: "exception/InternalFailure", data: '{"message":"oops"}' },
    ]);
  });
});
