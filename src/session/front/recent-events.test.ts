import { afterEach, describe, expect, it } from "vitest";
import { calls, says, slow } from "../../../test/fakes/model-server/index.ts";
import type { SessionEvent } from "../api.ts";
import { openHarness, say } from "../testing/harness.ts";

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one[Symbol.asyncDispose]();
});

async function harness() {
  const one = await openHarness();
  open.push(one);
  return one;
}

describe("a surface that comes back", () => {
  it("is told what it missed, without a gap and without a repetition [40:API-25]", async () => {
    const { open, server } = await harness();
    const session = await open();
    const all: number[] = [];
    session.subscribe((_event, seq) => void all.push(seq));
    server.script(slow(says("A long answer.")));
    const sent = await session.submit({ text: "hello" });
    await server.received(1);
    const first = all.at(2) ?? 0;
    const seen: number[] = all.filter((seq) => seq <= first);
    session.subscribe((_event, seq) => void seen.push(seq), { afterSeq: first });
    server.release(1_000);
    if (sent.kind === "turn") await sent.ended;
    expect(seen).toEqual(all);
    expect(new Set(seen).size).toBe(seen.length);
  });

  it("after too long is told how things stand, with what waits for an answer", async () => {
    const { open, server, event } = await harness();
    const session = await open();
    server.script(says("One."), calls("clarify", { question: "Which?" }), says("Fine."));
    await say(session, "hello");
    const sent = await session.submit({ text: "again" });
    const asked = await event("question-request", session);
    const told: SessionEvent[] = [];
    for (const afterSeq of [1, 1e6]) session.subscribe((one) => void told.push(one), { afterSeq });
    expect(told).toEqual([
      expect.objectContaining({ type: "resync", text: "", requests: [asked] }),
      expect.objectContaining({ type: "resync", requests: [asked] }),
    ]);
    expect(told[0]).toMatchObject({ info: { id: session.info.id, isBusy: true }, turnId: expect.any(String) });
    session.answer(asked.id, "tea");
    if (sent.kind === "turn") await sent.ended;
    const later: SessionEvent[] = [];
    session.subscribe((one) => void later.push(one), { afterSeq: 1 });
    expect(later).toMatchObject([{ type: "resync", requests: [], turnId: undefined }]);
  });

  it("in the middle of an answer is told its words so far", async () => {
    const { open, server } = await harness();
    const session = await open();
    server.script(says("First."), slow(says("one two three four five six")));
    await say(session, "a");
    const sent = await session.submit({ text: "b" });
    await server.received(2);
    const half = new Promise<void>((resolve) =>
      session.subscribe((one) => void (one.type === "text-delta" && resolve())),
    );
    server.release(2);
    await half;
    const told: SessionEvent[] = [];
    session.subscribe((one) => void told.push(one), { afterSeq: 1 });
    const [resync] = told;
    expect(resync?.type === "resync" && resync.text).toMatch(/^one/);
    server.release(1_000);
    if (sent.kind === "turn") await sent.ended;
  });
});
