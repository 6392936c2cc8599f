import { afterEach, describe, expect, it } from "vitest";
import { defaultConfig } from "#config";
import { defined } from "#foundation/defined";
import { silentLogger } from "#foundation/files/logger";
import { openStore } from "#store";
import { says } from "../../../test/fakes/model-server/index.ts";
import type { SendResult } from "../platform/outbound.ts";
import type { Connection, Platform } from "../platform/platform.ts";
import { closeGateways, gateway } from "../testing/gateway-harness.ts";
import { humanPauseMs } from "./human-pause.ts";
import { Outlet } from "./outlet.ts";
import { Sender } from "./sender.ts";

afterEach(closeGateways);

describe("a send of which nobody knows whether it arrived", () => {
  it("is given up where that is wished, and what comes after it in the chat goes out [40:SCL-15] [40:SCL-16]", async () => {
    const { intake, message, server, start, heard, results, texts, store } = await gateway({ unknownSend: "drop" });
    results.push({ kind: "failed", errorClass: "timeout", message: "no answer" });
    server.script(says("First."), says("Second."));
    start();
    await intake.admit(message("one"));
    await expect.poll(async () => (await store.outbox.counts()).unknown, { timeout: 15_000 }).toBe(1);
    await intake.admit(message("two"));
    await heard(2);
    expect(texts()).toEqual(["First.", "Second."]);
  });
});

/** A platform that cannot say what became of a send; time passes as fast as somebody waits for it. */
async function sending(answer: () => SendResult, pauseMs?: () => number) {
  let nowMs = 1_000_000;
  const sleptMs: number[] = [];
  const clock = {
    now: () => nowMs,
    async sleep(ms: number) {
      sleptMs.push(ms);
      nowMs += ms;
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
  const store = await openStore({ memory: true }, { clock, log: silentLogger });
  const sent: string[] = [];
  const connection = {
    account: { id: "bot", name: "bot" },
    lost: new Promise(() => undefined),
    async send(_to: unknown, message: { readonly body: { readonly plain: string } }) {
      sent.push(message.body.plain);
      return await Promise.resolve(answer());
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  } as unknown as Connection;
  const capabilities = { settlesSends: "none", rate: { account: 10, chat: 10 } };
  const platform = { id: "fake", capabilities } as unknown as Platform;
  const outlet = new Outlet(connection, platform, { clock });
  const deps = { store, outlet, unknownSend: () => "resend_marked" as const, clock, logger: silentLogger };
  const sender = new Sender({ ...deps, ...defined({ pauseMs }) });
  const payload = { kind: "text", body: { text: "Hello.", plain: "Hello." } };
  const to = { platform: "fake", account: "bot", chatId: "1" };
  await store.outbox.owe([{ ...to, idempotencyKey: "k", sessionKey: "s", kind: "send", payload }]);
  return { store, sender, sent, sleptMs };
}

describe("a message to a chat", () => {
  it("goes once the platform can be reached again; one that left and was not answered is not sent twice in silence [40:EVT-10] [40:A-EVT-12]", async () => {
    const refused: SendResult = { kind: "failed", errorClass: "network", message: "connection refused" };
    const lost: SendResult = { kind: "failed", errorClass: "timeout", message: "read timed out" };
    for (const [answers, texts] of [
      [
        [refused, refused],
        ["Hello.", "Hello.", "Hello."],
      ],
      [[lost], ["Hello.", "Hello.\n\n(resent)"]],
    ] as const) {
      const left: SendResult[] = [...answers, { kind: "sent", messageId: "m" }];
      const { store, sender, sent } = await sending(() => left.shift() ?? lost);
      const end = new AbortController();
      const running = sender.run(end.signal);
      await expect.poll(async () => (await store.outbox.counts()).sent).toBe(1);
      end.abort();
      await running;
      expect(sent).toEqual(texts);
      await store[Symbol.asyncDispose]();
    }
  });

  it("waits as long as a person would type, where that is wished [40:EVT-23]", async () => {
    const { human_delay: usual } = await defaultConfig();
    expect(usual.mode).toBe("off");
    const settings = { mode: "custom", min_ms: 3_000, max_ms: 4_000 } as const;
    const waits = async (pauseMs: () => number): Promise<readonly number[]> => {
      const { store, sender, sleptMs } = await sending(() => ({ kind: "sent", messageId: "m" }), pauseMs);
      const end = new AbortController();
      const running = sender.run(end.signal);
      await expect.poll(async () => (await store.outbox.counts()).sent).toBe(1);
      end.abort();
      await running;
      await store[Symbol.asyncDispose]();
      // It looks every second for what is owed.
      return sleptMs.filter((ms) => ms !== 1_000);
    };
    const [custom = 0] = await waits(() => humanPauseMs(settings));
    expect(custom).toBeGreaterThanOrEqual(3_000);
    expect(custom).toBeLessThanOrEqual(4_000);
    const [natural = 0] = await waits(() => humanPauseMs({ ...settings, mode: "natural" }));
    expect(natural).toBeGreaterThanOrEqual(800);
    expect(natural).toBeLessThanOrEqual(2_500);
    expect(await waits(() => humanPauseMs(usual))).toEqual([]);
  });
});

describe("a marked resend of which nobody knows either whether it arrived", () => {
  const noAnswer: SendResult = { kind: "failed", errorClass: "timeout", message: "no answer" };

  it("goes again, marked, until the platform answers [40:SCL-16]", async () => {
    const answers: SendResult[] = [noAnswer, noAnswer, { kind: "sent", messageId: "m" }];
    const { store, sender, sent } = await sending(() => answers.shift() ?? noAnswer);
    const end = new AbortController();
    const running = sender.run(end.signal);
    await expect.poll(async () => (await store.outbox.counts()).sent).toBe(1);
    end.abort();
    await running;
    expect(sent).toEqual(["Hello.", "Hello.\n\n(resent)", "Hello.\n\n(resent)"]);
    await store[Symbol.asyncDispose]();
  });

  it("is left to the operator after some attempts [40:SCL-16]", async () => {
    const { store, sender, sent } = await sending(() => noAnswer);
    const end = new AbortController();
    const running = sender.run(end.signal);
    await expect.poll(async () => (await store.outbox.counts()).unknown).toBe(1);
    end.abort();
    await running;
    expect(sent.length).toBe(7);
    await store[Symbol.asyncDispose]();
  });
});
