import { describe, expect, it } from "vitest";
import { feishuSignature, openEncrypted } from "./crypto.ts";
import { readFrame, writeFrame } from "./frames.ts";

describe("calls of Feishu", () => {
  it("are signed over their parts [40:A-FS-1]", () => {
    expect(feishuSignature("1700000000", "n1", { key: "ek", body: Buffer.from('{"x":1}') })).toBe(
      "22e121ba7a2078761e0d87a0755702e855415783174c2651426855af716c8cdd",
    );
  });

  // The example in Feishu's own guide to encrypted events.
  it("open with the key of the published example", () => {
    const encrypted = "P37w+VZImNgPEO1RBhJ6RtKl7n6zymIbEG1pReEzghk=";
    expect(openEncrypted("test key", encrypted)).toBe("hello world");
    expect(openEncrypted("another key", encrypted)).toBeUndefined();
    expect(openEncrypted("test key", "c2hvcnQ=")).toBeUndefined();
  });
});

describe("frames of the long connection", () => {
  it("are read as they were written, with numbers of any size", () => {
    const frame = {
      seqId: 300n,
      logId: 0xffff_ffff_ffff_ffffn,
      service: 33554678,
      method: "data",
      headers: { type: "event", message_id: "é" },
      payload: Buffer.from("x".repeat(300)),
    } as const;
    expect(readFrame(writeFrame(frame))).toEqual(frame);
  });

  it("that end in the middle are none", () => {
    const whole = writeFrame({
      seqId: 1n,
      logId: 1n,
      service: 1,
      method: "data",
      headers: {},
      payload: Buffer.from("abc"),
    });
    expect(readFrame(whole.subarray(0, -1))).toBeUndefined();
    expect(readFrame(Buffer.from([0x08, 0xff]))).toBeUndefined();
  });
});
