import { describe, expect, it } from "vitest";
import { silentLogger } from "#foundation/files/logger";
import { never } from "#foundation/lifecycle/abort";
import { Deferred } from "#foundation/lifecycle/deferred";
import { FakeClock } from "#foundation/testing/fake-clock";
import { type Connection, ConnectionError, type Platform } from "../platform/platform.ts";
import { type PlatformState, PlatformSupervisor, type SupervisorDeps } from "./supervisor.ts";

type Attempt = (alive: () => void) => Promise<Connection>;

const down: Attempt = () => Promise.reject(new Error("no route to host"));
const revoked: Attempt = () =>
  Promise.reject(new ConnectionError("token_revoked", "the token was revoked", { isRetryable: false }));

/** A platform that is connected to as the test says, on a clock that the test moves. */
function supervised(attempts: readonly Attempt[], otherwise: Attempt = down) {
  const clock = new FakeClock();
  const states: PlatformState[] = [];
  const triedAtMs: number[] = [];
  const disposed: string[] = [];
  const left = [...attempts];
  const stop = new AbortController();
  const startMs = clock.now();
  const platform = {
    id: "fake",
    connect: ({ alive }: { alive: () => void }) => {
      triedAtMs.push(clock.now() - startMs);
      return (left.shift() ?? otherwise)(alive);
    },
  } as unknown as Platform;
  const supervisor = new PlatformSupervisor({
    platform,
    ports: {} as SupervisorDeps["ports"],
    whileConnected: (_connection, signal) =>
      new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true })),
    onState: (state) => void states.push(state),
    connectTimeoutMs: 60_000,
    clock,
    logger: silentLogger,
  });
  const running = Promise.resolve().then(() => supervisor.run(stop.signal));
  const connection = (name: string, lost = new Deferred<ConnectionError>()): Connection =>
    ({
      account: { id: name, name },
      lost: lost.promise,
      [Symbol.asyncDispose]: () => Promise.resolve(void disposed.push(name)),
    }) as unknown as Connection;
  return {
    clock,
    states,
    triedAtMs,
    disposed,
    running,
    connection,
    names: () => states.map(({ state }) => state),
    end: async () => {
      stop.abort();
      await running;
    },
  };
}

const minuteMs = 60_000;

describe("a platform that cannot be connected", () => {
  it("is tried again after half a minute, then later and later, and never given up [40:PRC-33] [40:PRC-5] [40:A-PRC-7]", async () => {
    const { clock, triedAtMs, states, end } = supervised([]);
    await clock.advance(600 * minuteMs);
    const waits = triedAtMs.slice(1).map((atMs, index) => (atMs - (triedAtMs[index] ?? 0)) / 1000);
    for (const [index, seconds] of [30, 60, 120, 240, 300, 300].entries()) {
      expect(waits[index]).toBeGreaterThanOrEqual(seconds);
      expect(waits[index]).toBeLessThanOrEqual(seconds * 1.2);
    }
    // No two of many programs come back at the same moment.
    expect(new Set(waits.slice(4, 12)).size).toBeGreaterThan(1);
    expect(waits.length).toBeGreaterThan(20);
    expect(waits.at(-1)).toBeGreaterThanOrEqual(900);
    expect(states.at(-1)).toMatchObject({ state: "retrying", errorCode: "connect_failed" });
    await end();
    expect(states.at(-1)).toEqual({ state: "disconnected" });
  });

  it("waits as long when each attempt takes its time to fail [40:PRC-33]", async () => {
    const slow: Attempt = async () => {
      await at.clock.sleep(50_000, never);
      throw new Error("no answer");
    };
    const at = supervised([], slow);
    await at.clock.advance(10 * minuteMs);
    const [first = 0, second = 0, third = 0] = at.triedAtMs;
    expect(second - first).toBeGreaterThanOrEqual(80_000);
    expect(third - second).toBeGreaterThanOrEqual(110_000);
    await at.end();
  });

  it("is left alone when trying again cannot help [40:PRC-5] [40:PRC-33]", async () => {
    const { triedAtMs, running, states, clock } = supervised([revoked]);
    await running;
    await clock.advance(60 * minuteMs);
    expect(triedAtMs).toEqual([0]);
    expect(states).toEqual([
      { state: "connecting" },
      { state: "fatal", errorCode: "token_revoked", errorMessage: "the token was revoked" },
    ]);
  });
});

describe("a connection", () => {
  it("that reports its own end is closed and made again [40:PRC-34] [40:PRC-2]", async () => {
    const lost = new Deferred<ConnectionError>();
    const first: Attempt = (alive) => {
      alive();
      return Promise.resolve(at.connection("first", lost));
    };
    const at = supervised([first], (alive) => {
      alive();
      return Promise.resolve(at.connection("second"));
    });
    await at.clock.advance(1_000);
    expect(at.names()).toEqual(["connecting", "connected"]);
    lost.resolve(new ConnectionError("socket_closed", "the socket was closed", { isRetryable: true }));
    await at.clock.advance(40_000);
    expect(at.disposed).toEqual(["first"]);
    expect(at.names()).toEqual(["connecting", "connected", "retrying", "connecting", "connected"]);
    expect(at.states[2]).toMatchObject({ errorCode: "socket_closed" });
    await at.end();
    expect(at.disposed).toEqual(["first", "second"]);
  });

  it("that was good is made again at once, and the pauses begin only when that fails [40:PRC-33] [40:PRC-34]", async () => {
    const lost = new Deferred<ConnectionError>();
    const at = supervised([() => Promise.resolve(at.connection("first", lost))]);
    await at.clock.advance(50_000);
    lost.resolve(new ConnectionError("socket_closed", "the socket was closed", { isRetryable: true }));
    await at.clock.advance(2 * minuteMs);
    const [, again = 0, later = 0] = at.triedAtMs;
    expect(again - 50_000).toBeLessThan(3_000);
    expect(later - again).toBeGreaterThanOrEqual(30_000);
    await at.end();
  });

  it("that ends for good is not made again [40:PRC-34]", async () => {
    const lost = new Deferred<ConnectionError>();
    const at = supervised([() => Promise.resolve(at.connection("first", lost))]);
    await at.clock.advance(1_000);
    lost.resolve(new ConnectionError("conflict", "another program has it", { isRetryable: false }));
    await at.running;
    expect(at.triedAtMs).toHaveLength(1);
    expect(at.states.at(-1)).toMatchObject({ state: "fatal", errorCode: "conflict" });
  });

  it("that says nothing for a minute is deaf, whatever its socket believes [40:PRC-34]", async () => {
    const at = supervised([() => Promise.resolve(at.connection("deaf"))]);
    await at.clock.advance(50_000);
    expect(at.names()).toEqual(["connecting", "connected"]);
    await at.clock.advance(30_000);
    expect(at.states[2]).toMatchObject({ state: "retrying", errorCode: "silent" });
    expect(at.disposed).toEqual(["deaf"]);
    await at.end();
  });
});

it("a platform that never answers is given up after its time, and no other waits for it [40:PRC-7]", async () => {
  const stop = new AbortController();
  const run = (connect: Platform["connect"]) => {
    const states: PlatformState[] = [];
    const supervisor = new PlatformSupervisor({
      platform: { id: "fake", connect } as unknown as Platform,
      ports: {} as SupervisorDeps["ports"],
      whileConnected: (_connection, signal) =>
        new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true })),
      onState: (state) => void states.push(state),
      connectTimeoutMs: 50,
      clock: new FakeClock(),
      logger: silentLogger,
    });
    return { states, running: supervisor.run(stop.signal) };
  };
  const deaf = run(
    (_ports, signal) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  );
  const well = run(() =>
    Promise.resolve({
      account: { id: "a", name: "a" },
      lost: new Promise(() => undefined),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    } as unknown as Connection),
  );
  await expect.poll(() => well.states.at(-1)?.state).toBe("connected");
  await expect.poll(() => deaf.states.at(-1)).toMatchObject({ state: "retrying", errorCode: "connect_failed" });
  expect(well.states.at(-1)?.state).toBe("connected");
  stop.abort();
  await Promise.all([deaf.running, well.running]);
});
