import { expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { loadPlatform } from "#gateway";
import { startSignalServer } from "../../fakes/platforms/signal-server.ts";
import { connectedTo, describePlatform } from "./suite.ts";

const platform = await loadPlatform("signal");

async function startKit(options: { readonly isOld?: boolean } = {}) {
  const server = await startSignalServer(options);
  return {
    env: { SIGNAL_HTTP_URL: server.url, SIGNAL_ACCOUNT: server.account },
    wrongEnv: { SIGNAL_HTTP_URL: server.url, SIGNAL_ACCOUNT: "+4900000000" },
    settings: {},
    chatId: "+4917011111111",
    say: (message: string) => server.envelope({ dataMessage: { message } }),
    repeat: () => server.repeat(),
    sendFile: (bytes: Buffer, filename: string) => {
      const id = server.file(bytes);
      server.envelope({ dataMessage: { attachments: [{ id, filename, contentType: "application/pdf" }] } });
    },
    shown: server.shown,
    nextSend: server.nextSend,
    sends: server.sends,
    deliversAgain: true,
    breakConnection: () => server.dropStreams(),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

describePlatform(platform, () => startKit());

it("a stream that broke is made again after two seconds and a little, and hears what was said meanwhile [40:A-SG-3]", async () => {
  await using kit = await startKit();
  await using at = await connectedTo(platform, kit);
  await at.connection[Symbol.asyncDispose]();
  const waits: number[] = [];
  const clock = {
    ...at.ports.clock,
    now: () => at.ports.clock.now(),
    sleep(ms: number, signal: AbortSignal) {
      waits.push(ms);
      return at.ports.clock.sleep(ms < 10_000 ? 0 : ms, signal);
    },
  };
  await using again = await platform?.connect({ ...at.ports, clock }, never);
  expect(again).toBeDefined();
  waits.length = 0;
  kit.breakConnection();
  kit.say("meanwhile");
  await expect.poll(() => at.ports.admitted.map(({ text }) => text), { timeout: 15_000 }).toEqual(["meanwhile"]);
  const [first = 0] = waits.filter((ms) => ms < 10_000);
  expect(first).toBeGreaterThanOrEqual(2_000);
  expect(first).toBeLessThanOrEqual(2_400);
});

it("what a process that died had been handed, and had not written down, is asked for by its number [40:SCL-5]", async () => {
  await using kit = await startKit();
  const first = await connectedTo(platform, { ...kit, failingAdmissions: 1_000 });
  kit.say("one");
  await expect.poll(() => linesOf(first.ports.logger)).toContain("tried again");
  await first[Symbol.asyncDispose]();
  expect(first.ports.admitted).toEqual([]);
  await using second = await connectedTo(platform, kit, first.ports.positions);
  kit.say("two");
  await expect.poll(() => second.ports.admitted.map(({ text }) => text)).toEqual(["one", "two"]);
  // What is written down is not sent again.
  await using third = await connectedTo(platform, kit, second.ports.positions);
  kit.say("three");
  await expect.poll(() => third.ports.admitted.map(({ text }) => text)).toEqual(["three"]);
});

it("a daemon that does not number its events is used as it is", async () => {
  await using kit = await startKit({ isOld: true });
  await using at = await connectedTo(platform, kit, new Map([["events", "1-7"]]));
  kit.say("one");
  await expect.poll(() => at.ports.admitted.map(({ text }) => text)).toEqual(["one"]);
  expect(at.ports.positions.get("events")).toBe("1-7");
});

const linesOf = (logger: unknown): string => JSON.stringify((logger as { readonly lines: unknown }).lines);
