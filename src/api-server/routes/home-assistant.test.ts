import { describe, expect, it } from "vitest";
import { silentLogger } from "#foundation/files/logger";
import { never } from "#foundation/lifecycle/abort";
import { Deferred } from "#foundation/lifecycle/deferred";
import { FakeClock } from "#foundation/testing/fake-clock";
import type { ApiContext } from "../api-context.ts";
import type { Caller } from "../callers.ts";
import { homeAssistantConversation } from "./home-assistant.ts";

const caller = { name: "owner", userId: undefined } as Caller;

/** A turn that ends when the test says so, and a gateway that owes what it is given. */
function slowHouse() {
  const ended = new Deferred<{ text: string; failed: boolean; interrupted: boolean }>();
  const owed: unknown[] = [];
  const notified = new Deferred<void>();
  const clock = new FakeClock();
  const named: unknown[] = [];
  const context = {
    settings: { keys: [{}] },
    clock,
    logger: silentLogger,
    redact: (text: string) => text,
    turns: {
      start: (request: { named?: unknown }) => {
        named.push(request.named);
        return Promise.resolve({
          ended: ended.promise,
          interrupt: () => undefined,
          [Symbol.asyncDispose]: () => Promise.resolve(),
        });
      },
    },
    deliverer: { rows: (target: object, { text }: { text: string }) => Promise.resolve([{ target, text }]) },
    store: {
      outbox: {
        owe(rows: readonly unknown[]) {
          owed.push(...rows);
          notified.resolve();
          return Promise.resolve([1]);
        },
      },
    },
  } as unknown as ApiContext;
  const ask = (body: object) =>
    homeAssistantConversation(
      new Request("http://localhost/api/homeassistant/conversation", { method: "POST", body: JSON.stringify(body) }),
      caller,
      { context, signal: never },
    );
  return { ended, owed, notified, clock, named, ask };
}

describe("a spoken request that takes longer than anybody listens", () => {
  it("is answered by a few words after 25 seconds, and the answer follows as a notification", async () => {
    const house = slowHouse();
    const asking = house.ask({ text: "plan my week", user_id: "ada" });
    await house.clock.sleeping();
    await house.clock.advance(24_999);
    let isAnswered = false;
    void asking.then(() => {
      isAnswered = true;
    });
    await Promise.resolve();
    expect(isAnswered).toBe(false);
    await house.clock.advance(1);
    expect(await (await asking).json()).toMatchObject({
      response: {
        speech: { plain: { speech: expect.stringContaining("still working") } },
        response_type: "action_done",
      },
    });
    expect(house.owed).toEqual([]);
    house.ended.resolve({ text: "Monday is free.", failed: false, interrupted: false });
    await house.notified.promise;
    expect(house.owed).toEqual([
      { target: { word: "homeassistant:ha_events", origin: undefined }, text: "Monday is free." },
    ]);
    expect(house.named).toEqual([{ id: "agent:main:homeassistant:dm:ada", resumes: true }]);
  });

  it("owes nothing when the answer came in time", async () => {
    const house = slowHouse();
    house.ended.resolve({ text: "Done.", failed: false, interrupted: false });
    const answer = await (await house.ask({ text: "lamp on", conversation_id: "c1" })).json();
    expect(answer).toMatchObject({ conversation_id: "c1", response: { speech: { plain: { speech: "Done." } } } });
    await house.clock.advance(60_000);
    expect(house.owed).toEqual([]);
  });
});
