import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ModelEvent } from "#conversation";
import { protocolFor } from "../prepare.ts";
import type { ProtocolName } from "../target.ts";
import { collect } from "../testing/collect.ts";
import { testRequest } from "../testing/target.ts";
import { AwsEventDecoder } from "../transport/aws-event-stream.ts";
import type { FrameDecoder } from "../transport/frames.ts";
import { SseDecoder } from "../transport/sse.ts";
import type { Lifted, Protocol, StreamFault } from "./protocol.ts";

/** What one stream, in the shape a provider really sends, must come to. Fields that are absent are not looked at. */
interface Expected {
  readonly protocol: ProtocolName;
  readonly content?: string;
  readonly finish?: string;
  readonly reasoning?: string;
  /** Id (null: derived), name, arguments, opaque content. */
  readonly calls?: readonly (readonly [string | null, string, string, unknown?])[];
  readonly usage?: unknown;
  readonly costUsd?: number;
  readonly model?: string;
  readonly responseId?: string;
  readonly fault?: string;
  readonly code?: string;
  readonly status?: number;
  readonly [opaque: string]: unknown;
}

interface Fixture {
  readonly name: string;
  readonly bytes: Buffer;
  readonly expected: Expected;
  readonly framing: "sse" | "aws";
}

const root = join(dirname(fileURLToPath(import.meta.url)), "../../../test/fixtures/wire");
const fixtures = readdirSync(root).flatMap((provider) =>
  readdirSync(join(root, provider))
    .filter((file) => !file.endsWith(".json"))
    .map((file): Fixture => {
      const expected = JSON.parse(readFileSync(join(root, provider, file.replace(/\.\w+$/, ".json")), "utf8"));
      const framing = file.endsWith(".aws") ? "aws" : "sse";
      return { name: `${provider}/${file}`, bytes: readFileSync(join(root, provider, file)), expected, framing };
    }),
);
const opaqueFields = [
  "reasoning_content",
  "reasoning_details",
  "codex_reasoning_items",
  "codex_message_items",
] as const;

function lift(
  { bytes, framing }: Pick<Fixture, "bytes" | "framing">,
  protocol: Protocol,
  cuts: readonly number[] = [],
) {
  const lift = protocol.openLift(testRequest({ protocol: protocol.name }));
  const decoder: FrameDecoder = framing === "aws" ? new AwsEventDecoder() : new SseDecoder();
  const at = [...new Set(cuts)].filter((cut) => cut > 0 && cut < bytes.length).sort((a, b) => a - b);
  const events: Lifted[] = [];
  for (const [index, from] of [0, ...at].entries())
    for (const frame of decoder.push(bytes.subarray(from, at[index] ?? bytes.length))) events.push(...lift.step(frame));
  for (const frame of decoder.end()) events.push(...lift.step(frame));
  events.push(...lift.end());
  return events;
}

const isFault = (event: Lifted): event is StreamFault => event.type === "stream-fault";
const good = (events: readonly Lifted[]): ModelEvent[] =>
  events.filter((event): event is ModelEvent => !isFault(event));

/** Every segment that starts ends, once and before the next; one last event; nothing behind it. */
function expectWellFormed(events: readonly Lifted[]): void {
  let open: string | undefined;
  for (const [at, event] of events.entries()) {
    const isLast = event.type === "attempt-end" || event.type === "stream-fault";
    if (isLast) expect(at).toBe(events.length - 1);
    if (at === 0 && !isFault(event)) expect(event.type).toBe("attempt-start");
    if (event.type === "text-start" || event.type === "reasoning-start") {
      expect(open).toBeUndefined();
      open = event.type.replace("-start", "");
    } else if (event.type === "text-delta" || event.type === "reasoning-delta") {
      expect(event.type).toBe(`${open}-delta`);
      expect(event.text).not.toBe("");
    } else if (event.type === "text-end" || event.type === "reasoning-end") {
      expect(event.type).toBe(`${open}-end`);
      open = undefined;
    } else expect(open === undefined || (event.type !== "tool-input-start" && !isLast)).toBe(true);
  }
  expect(events.at(-1)?.type).toMatch(/^(?:attempt-end|stream-fault)$/);
}

it("holds streams of many families", () => {
  expect(fixtures.length).toBeGreaterThanOrEqual(40);
});

describe.each(fixtures)("$name", (fixture) => {
  const { expected } = fixture;

  it("comes to what the provider meant [20:R1.3] [20:R1.22] [20:R1.25] [20:R1.36] [20:R1.38] [20:R1.48] [20:R1.53] [20:R1.55] [20:R1.56]", async () => {
    const events = lift(fixture, await protocolFor(expected.protocol));
    expectWellFormed(events);
    const fault = events.find(isFault);
    const result = collect(good(events));
    if (expected.fault !== undefined) {
      expect(fault?.message).toContain(expected.fault);
      if (expected.code !== undefined) expect(fault?.code).toBe(expected.code);
      if (expected.status !== undefined) expect(fault?.status).toBe(expected.status);
      if (expected.content !== undefined) expect(result.message.content).toBe(expected.content);
      return;
    }
    expect(fault).toBeUndefined();
    expect(result.message.content).toBe(expected.content);
    expect(result.finish).toBe(expected.finish);
    expect(result.message.reasoning).toBe(expected.reasoning);
    const calls = (result.message.tool_calls ?? []).map((call) => [
      call.id,
      call.function.name,
      call.function.arguments,
      ...(call.extra_content === undefined ? [] : [call.extra_content]),
    ]);
    expect(calls).toEqual(
      (expected.calls ?? []).map(([id, ...rest]) => [id ?? expect.stringMatching(/^call_[0-9a-f]{12}$/), ...rest]),
    );
    for (const field of ["usage", "costUsd", "model", "responseId"] as const)
      if (expected[field] !== undefined) expect(result[field]).toEqual(expected[field]);
    for (const field of opaqueFields)
      if (expected[field] !== undefined) expect(result.message[field]).toEqual(expected[field]);
  });

  it("gives the same events for any cut of the bytes", async () => {
    const protocol = await protocolFor(expected.protocol);
    const whole = lift(fixture, protocol);
    const everyByte = Array.from({ length: fixture.bytes.length }, (_, at) => at);
    expect(lift(fixture, protocol, everyByte)).toEqual(whole);
    fc.assert(
      fc.property(fc.array(fc.nat(fixture.bytes.length), { maxLength: 12 }), (cuts) => {
        expect(lift(fixture, protocol, cuts)).toEqual(whole);
      }),
      { numRuns: 5 },
    );
  });

  it("never throws when it is cut short, and says so unless the answer was complete", async () => {
    const protocol = await protocolFor(expected.protocol);
    const stride = Math.max(7, Math.floor(fixture.bytes.length / 60));
    for (let length = 0; length < fixture.bytes.length; length += stride) {
      const bytes = fixture.bytes.subarray(0, length);
      const events = lift({ bytes, framing: fixture.framing }, protocol);
      expectWellFormed(events);
    }
  });

  it("survives a damaged byte", async () => {
    const protocol = await protocolFor(expected.protocol);
    if (fixture.framing === "aws") return;
    fc.assert(
      fc.property(fc.nat(fixture.bytes.length - 1), fc.nat(255), (at, byte) => {
        const bytes = Buffer.from(fixture.bytes);
        bytes[at] = byte;
        expectWellFormed(lift({ bytes, framing: fixture.framing }, protocol));
      }),
      { numRuns: 15 },
    );
  });
});
