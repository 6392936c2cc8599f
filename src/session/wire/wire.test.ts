import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { says, slow } from "../../../test/fakes/model-server/index.ts";
import type { SessionEvent } from "../api.ts";
import { openHarness } from "../testing/harness.ts";
import { applyInput } from "./apply-input.ts";
import { eventShapes, toWire } from "./events.ts";
import { inputShapes, readInput } from "./inputs.ts";
import { isRelayed, readRelayed } from "./relay.ts";
import { type JsonSchema, WireError } from "./shape.ts";

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one[Symbol.asyncDispose]();
});

const ids = { sessionId: "s1", seq: 7, atMs: 0 };
const throughJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** Values that fit a schema. */
function fitting(schema: JsonSchema): fc.Arbitrary<unknown> {
  if ("const" in schema) return fc.constant(schema["const"]);
  if (Array.isArray(schema["enum"])) return fc.constantFrom(...(schema["enum"] as unknown[]));
  for (const key of ["oneOf", "anyOf"])
    if (Array.isArray(schema[key])) return fc.oneof(...(schema[key] as JsonSchema[]).map(fitting));
  if ("$ref" in schema) return fc.constant({ type: "text-delta", text: "from a child" });
  switch (schema["type"]) {
    case "string":
      return fc.string({ minLength: 1 });
    case "integer":
      return fc.nat({ max: 1_000 });
    case "number":
      return fc.integer();
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return fc.array(fitting(schema["items"] as JsonSchema), { maxLength: 3 });
    case "object": {
      const properties = Object.entries((schema["properties"] ?? {}) as Record<string, JsonSchema>);
      const required = (schema["required"] ?? []) as string[];
      return fc.record(Object.fromEntries(properties.map(([name, one]) => [name, fitting(one)])), {
        requiredKeys: required,
      });
    }
    default:
      return fc.jsonValue().filter((value) => value !== null);
  }
}

/** The same as the program holds it. */
function inCamelCase(value: unknown, under = ""): unknown {
  if (Array.isArray(value)) return value.map((one) => inCamelCase(one, under));
  if (typeof value !== "object" || value === null || under === "args") return value;
  const isMessage = under === "message";
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      isMessage ? name : name.replace(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase()),
      isMessage ? one : inCamelCase(one, name),
    ]),
  );
}

type Camel<S> = S extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : S;
type EventOf<T> = Extract<SessionEvent, { readonly type: T }>;
/** Fields of events that no shape names; the compiler finds one that was forgotten. */
type Unsaid = {
  [T in SessionEvent["type"]]: Exclude<keyof EventOf<T>, "type" | Camel<keyof (typeof eventShapes)[T]["fields"]>>;
}[SessionEvent["type"]];

describe("the wire form of events", () => {
  it("names every field of every event; the session stands beside it, and what the screen asks itself stays there", () => {
    const unsaid: Readonly<Record<Unsaid, true>> = { sessionId: true, wording: true, isAside: true };
    expect(Object.keys(unsaid)).toEqual(["sessionId", "wording", "isAside"]);
  });

  it.each(Object.keys(eventShapes) as SessionEvent["type"][])("keeps all of %s through JSON", (type) => {
    fc.assert(
      fc.property(fitting(eventShapes[type].schema), (fields) => {
        const event = { type, ...(inCamelCase(fields) as object) } as SessionEvent;
        const envelope = { v: 1, seq: 7, at: "1970-01-01T00:00:00.000Z", session_id: "s1", type };
        expect(throughJson(toWire(event, ids))).toEqual({ ...envelope, ...(throughJson(fields) as object) });
      }),
      { numRuns: 50 },
    );
  });

  it("is read back where another Hermes tells of its work, also with fields of a newer one, and nothing else is", () => {
    const told = (Object.keys(eventShapes) as SessionEvent["type"][]).filter((type) => isRelayed({ type } as never));
    for (const type of told)
      fc.assert(
        fc.property(fitting(eventShapes[type].schema), (fields) => {
          const event = { type, ...(inCamelCase(fields) as object) } as SessionEvent;
          const wire = { ...(throughJson(toWire(event, ids)) as object), newer: 1 };
          expect(throughJson(readRelayed(wire))).toEqual(throughJson(event));
          expect(readRelayed({ ...wire, v: 2 })).toBeUndefined();
        }),
        { numRuns: 50 },
      );
    const answer = toWire({ type: "text-delta", text: "The answer comes by itself." }, ids);
    for (const other of [answer, { v: 1, type: "tool-start", call_id: 7 }, undefined])
      expect(readRelayed(other)).toBeUndefined();
  });

  it("says nothing that is only for the program: provider blocks, forms for requests, where a key is", () => {
    const message = {
      role: "assistant",
      content: "Hi.",
      uid: "m1",
      reasoning_details: [{ signature: "abc" }],
      sent: { suffix: "recalled" },
      origin: { by: "x", scale: 1 },
      _thinking_prefill: true,
    } as const;
    const wire = toWire({ type: "message-end", message, wasStreamed: true }, ids);
    expect(wire).toMatchObject({ message: { role: "assistant", content: "Hi.", uid: "m1" }, was_streamed: true });
    expect(JSON.stringify(wire)).not.toMatch(/signature|recalled|origin|prefill/);
    const info = { id: "s1", modelSource: "OPENAI_API_KEY in .env" };
    expect(JSON.stringify(toWire({ type: "session-changed", info } as never, ids))).not.toContain("OPENAI_API_KEY");
  });

  it("keeps the arguments of a call as the model wrote them", () => {
    const args = { filePath: "a", nested_key: { camelCase: 1 } };
    const event: SessionEvent = { type: "tool-start", callId: "c", name: "t", args, preview: "" };
    expect(toWire(event, ids)).toMatchObject({ args, call_id: "c" });
  });
});

describe("the wire form of inputs", () => {
  const image = "data:image/png;base64,AAAA";

  it.each(Object.entries(inputShapes))("%s survives JSON and gives what was sent", (type, { schema }) => {
    const { images: _images, ...properties } = schema["properties"] as Record<string, JsonSchema>;
    fc.assert(
      fc.property(fitting({ ...schema, properties }), (fields) => {
        const { v: _v, ...input } = fields as { v: number };
        const sent = { ...(fields as object), v: 1, type };
        expect(throughJson(readInput(throughJson(sent)))).toEqual(throughJson({ ...input, type }));
      }),
      { numRuns: 50 },
    );
    expect(readInput({ v: 1, type: "submit", text: "x", images: [image] })).toMatchObject({ images: [image] });
  });

  it("are refused with words that say what is wrong", () => {
    const why = (value: unknown): string => {
      try {
        readInput(value);
      } catch (error) {
        if (error instanceof WireError) return error.message;
      }
      return "taken";
    };
    expect(why(null)).toBe("The input must be an object.");
    expect(why({ v: 1, type: "dance" })).toMatch(/^type must be one of submit, continue, steer/);
    expect(why({ type: "steer", text: "x" })).toBe("v must be 1, the version this program speaks.");
    expect(why({ v: 1, type: "submit" })).toBe("text must be a text.");
    expect(why({ v: 1, type: "submit", text: "x", images: ["/etc/passwd"] })).toMatch(/^images\[0\] must begin with/);
    expect(why({ v: 1, type: "submit", text: "x".repeat(1_000_001) })).toMatch(/is longer than/);
    expect(why({ v: 1, type: "approve", id: "a", choice: "yes" })).toMatch(/^choice must be "once" or/);
    expect(why({ v: 1, type: "unqueue", index: -1 })).toMatch(/whole number/);
    expect(why({ v: 1, type: "submit", text: "x", yolo: true })).toBe('The input has an unknown field "yolo".');
    expect(why(JSON.parse('{"v":1,"type":"steer","text":"x","__proto__":{}}'))).toMatch(/unknown field/);
  });

  it("never fail in another way, whatever arrives", () => {
    const broken = fc.record(
      {
        v: fc.anything(),
        type: fc.constantFrom(...Object.keys(inputShapes), "constructor", "toString"),
        text: fc.anything(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.jsonValue(), broken), (value) => {
        try {
          readInput(value);
        } catch (error) {
          expect(error).toBeInstanceOf(WireError);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("an input", () => {
  it("reaches its session, and says what became of it", async () => {
    const harness = await openHarness({ settings: { busyMode: "queue" } });
    open.push(harness);
    harness.server.script(slow(says("One.")), says("Two."));
    const session = await harness.open();
    const send = (input: object) => applyInput(session, readInput({ v: 1, ...input }), never);
    expect(await send({ type: "steer", text: "x" })).toMatchObject({ kind: "refused" });
    expect(await send({ type: "submit", text: "hello", key: "k" })).toEqual({ kind: "turn" });
    await harness.server.received(1);
    expect(await send({ type: "submit", text: "hello", key: "k" })).toEqual({ kind: "duplicate" });
    expect(await send({ type: "submit", text: "later" })).toEqual({ kind: "queued", position: 1 });
    expect(await send({ type: "unqueue", index: 0 })).toEqual({ kind: "unqueued", text: "later" });
    expect(await send({ type: "unqueue", index: 0 })).toMatchObject({ kind: "refused" });
    expect(await send({ type: "submit", text: "/help" })).toMatchObject({
      kind: "command",
      view: { kind: "markdown" },
    });
    expect(await send({ type: "interrupt" })).toEqual({ kind: "done" });
    await session.settled();
    expect(await send({ type: "complete", line: "/hel" })).toMatchObject({
      completions: [{ label: expect.stringContaining("/help") }],
    });
  });
});
