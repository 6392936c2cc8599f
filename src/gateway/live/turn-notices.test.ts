import { afterEach, describe, expect, it } from "vitest";
import { FakeClock } from "#foundation/testing/fake-clock";
import { fakeTool } from "#tools/testing";
import { calls, says, slow } from "../../../test/fakes/model-server/index.ts";
import { closeGateways, gateway } from "../testing/gateway-harness.ts";
import { TurnNotices } from "./turn-notices.ts";

afterEach(closeGateways);

const begun = { type: "turn-start", sessionId: "s" as never, turnId: "t" as never } as const;
const over = { type: "turn-end", exitReason: "text_response", text: "" } as const;
const warning = (text: string) => ({ type: "notice", level: "warn", text }) as const;

describe("what goes wrong in a turn that goes on", () => {
  it("is told once in a while for each kind, and only within the turn [40:STR-10]", async () => {
    const clock = new FakeClock();
    const notices = new TurnNotices(clock);
    expect(notices.heard(warning("Before."))).toBeUndefined();
    notices.heard(begun);
    expect(notices.heard(warning("Using model-b, since model-a failed 3 times."))).toContain("model-b");
    expect(notices.heard(warning("Using model-b, since model-a failed 4 times."))).toBeUndefined();
    expect(
      notices.heard(warning("No model can be used for vision. Choose one with: hermes config set x")),
    ).toBeUndefined();
    expect(notices.heard({ ...warning("Only for people at the screen."), level: "info" })).toBeUndefined();
    const wait = {
      type: "recovery-start",
      remedy: "wait-and-retry",
      problem: "rate_limit: Slow down.",
      waitMs: 20_000,
    } as const;
    expect(notices.heard({ ...wait, waitMs: 2_000 })).toBeUndefined();
    expect(notices.heard(wait)).toContain("limiting requests");
    expect(notices.heard(wait)).toBeUndefined();
    await clock.advance(61_000);
    expect(notices.heard(wait)).toContain("limiting requests");
    notices.heard(over);
    expect(notices.heard(warning("After."))).toBeUndefined();
  });

  it("reaches the chat, as do tools, thinking, steps, questions and the growing answer [40:FLW-42] [40:STR-10]", {
    timeout: 60_000,
  }, async () => {
    const { intake, message, server, start, shown, typing, fired } = await gateway({
      live: { streams: true, toolProgress: "all", showReasoning: true },
      tools: ({ events }) => [
        fakeTool("terminal", {
          async execute() {
            events.emit({ type: "notice", level: "warn", text: "The fallback model answers now." });
            return await Promise.resolve({ content: "ran" });
          },
        }),
      ],
    });
    const ask = calls("clarify", { question: "Which environment?", choices: ["dev", "prod"] });
    server.script(calls("terminal", { command: "ls" }), ask, slow(says("All of it was done in prod for you.")));
    start();
    await intake.admit(message("deploy"));
    const texts = () => shown().join("\n");
    await expect.poll(texts, { timeout: 30_000 }).toContain("Which environment?");
    await intake.admit(message("2"));
    await server.received(3);
    server.release(4);
    await expect.poll(texts, { timeout: 30_000 }).toContain("▉");
    server.release(1_000);
    await expect.poll(() => shown().at(-1), { timeout: 30_000 }).toBe("All of it was done in prod for you.");
    // tool_progress, status, clarify, stream_delta, typing while it thinks, step
    expect(texts()).toContain("terminal");
    expect(texts()).toContain("The fallback model answers now.");
    expect(typing.length).toBeGreaterThan(0);
    const steps = fired.filter(({ event }) => event === "agent:step");
    expect(steps.map(({ iteration }) => iteration)).toEqual([1, 2, 3]);
    expect(steps.map(({ tool_names: names }) => names)).toEqual([[], ["terminal"], ["clarify"]]);
  });
});

it("a session that was kept begins each turn as a fresh one does [40:FLW-45]", {
  timeout: 60_000,
}, async () => {
  const { intake, message, server, start, texts, store } = await gateway();
  const key = "agent:main:fake:dm:1";
  server.script(slow(says("Never said.")), says("After the stop."), says("On the other model."));
  start();
  await intake.admit(message("one"));
  await server.received(1);
  await intake.admit(message("/stop"));
  await expect.poll(() => texts().join("\n"), { timeout: 30_000 }).toMatch(/stopped/iu);
  // The interrupt, the steps taken and the callbacks of that turn are gone with it.
  await intake.admit(message("two"));
  await expect.poll(() => texts().at(-1), { timeout: 30_000 }).toBe("After the stop.");
  const id = (await store.routes.get(key))?.sessionId;
  await intake.admit(message("/model other-model"));
  await expect.poll(() => texts().at(-1), { timeout: 30_000 }).toContain("other-model");
  await intake.admit(message("three"));
  await expect.poll(() => texts().at(-1), { timeout: 30_000 }).toBe("On the other model.");
  expect(server.requests.at(-1)?.model).toBe("other-model");
  expect((await store.routes.get(key))?.sessionId).toBe(id);
  const said = JSON.stringify(server.requests.at(-1)?.messages);
  for (const words of ["one", "two", "After the stop.", "three"]) expect(said).toContain(words);
});
