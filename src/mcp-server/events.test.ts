import { describe, expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { FakeClock } from "#foundation/testing/fake-clock";
import type { Conversations, SpokenMessage } from "#session";
import { Events } from "./events.ts";

/** A store that other programs write to. */
function stage() {
  const clock = new FakeClock();
  const rows: SpokenMessage[] = [];
  const conversations: Pick<Conversations, "now" | "since"> = {
    now: () => Promise.resolve(rows.length),
    since: (location: number) => Promise.resolve({ location: rows.length, messages: rows.slice(location) }),
  };
  const events = new Events({ conversations, clock, shown: (text) => text });
  const say = (id: string, change: Partial<SpokenMessage> = {}): void =>
    void rows.push({ key: "k", id, role: "user", text: id, atMs: clock.now(), images: [], ...change });
  const texts = async (cursor = 0): Promise<readonly unknown[]> =>
    (await events.poll({ cursor, key: undefined, limit: 50 }, never)).events.map((one) => "text" in one && one.text);
  return { clock, events, say, texts };
}

describe("the events of all conversations", () => {
  it("begin with what is said after the start, and tell every message once [30:6.7]", async () => {
    const { clock, events, say, texts } = stage();
    const earlier = { atMs: clock.now() - 5_000 };
    say("before", earlier);
    await events.start();
    await clock.advance(10_000);
    say("a");
    expect(await texts()).toEqual(["a"]);
    // Compression writes the last messages again, into a new part.
    say("before", earlier);
    say("a");
    say("b");
    expect(await texts()).toEqual(["a", "b"]);
    expect(events.cursor).toBe(2);
  });

  it("wake whoever waits, at once when something is known, else within half a second [30:6.7]", async () => {
    const { clock, events, say } = stage();
    await events.start();
    const wanted = { cursor: 0, key: undefined, limit: 20 };
    const first = events.wait(wanted, { timeoutMs: 30_000, signal: never });
    say("silently written");
    await clock.advance(500);
    expect((await first).events).toMatchObject([{ text: "silently written" }]);
    const second = events.wait({ ...wanted, cursor: 1 }, { timeoutMs: 30_000, signal: never });
    const wire = { v: 1 as const, seq: 1, at: "2026-01-01T00:00:00.000Z", session_id: "s" };
    events.add({ ...wire, type: "approval_resolved", session_key: "k", id: "x", choice: "deny" });
    expect((await second).events).toMatchObject([{ type: "approval_resolved", cursor: 2 }]);
  });

  it("are an empty page when the time is over, and an error when the client gives up [30:6.7]", async () => {
    const { clock, events } = stage();
    const wanted = { cursor: 0, key: undefined, limit: 20 };
    const waiting = events.wait(wanted, { timeoutMs: 1_200, signal: never });
    await clock.advance(500);
    await clock.advance(500);
    await clock.advance(500);
    expect(await waiting).toEqual({ events: [], next_cursor: 0 });
    const stop = new AbortController();
    const left = events.wait(wanted, { timeoutMs: 30_000, signal: stop.signal });
    stop.abort(new Error("gone"));
    await expect(left).rejects.toThrow("gone");
  });
});
