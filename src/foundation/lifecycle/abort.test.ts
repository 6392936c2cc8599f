import { getEventListeners } from "node:events";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { deadline, isAbort, isTimeout, linkSignals, never, onAbort, raceAbort, sleep, timeLimit } from "./abort.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const listeners = (signal: AbortSignal): number => getEventListeners(signal, "abort").length;

describe("sleep", () => {
  test("any number of waits may hang on the signal that never fires, without a warning", async () => {
    const warnings: Error[] = [];
    const note = (warning: Error): void => void warnings.push(warning);
    process.on("warning", note);
    const waits = Promise.all(Array.from({ length: 20 }, () => sleep(1, never)));
    await vi.advanceTimersByTimeAsync(1);
    await waits;
    process.off("warning", note);
    expect(warnings).toEqual([]);
  });

  test("waits as long as asked and leaves no listener behind", async () => {
    const controller = new AbortController();
    const done = vi.fn();
    const sleeping = sleep(5_000, controller.signal).then(done);
    await vi.advanceTimersByTimeAsync(4_999);
    expect(done).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    await sleeping;
    expect(listeners(controller.signal)).toBe(0);
  });

  test("ends at once with the signal's own reason, and clears its timer", async () => {
    const controller = new AbortController();
    const reason = { stopped: "by hand" };
    const sleeping = sleep(5_000, controller.signal);
    controller.abort(reason);
    await expect(sleeping).rejects.toBe(reason);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("does not start under a signal that already fired", async () => {
    await expect(sleep(1, AbortSignal.abort("gone"))).rejects.toBe("gone");
    expect(vi.getTimerCount()).toBe(0);
  });

  test("a wait longer than one timer can hold is not cut to nothing", async () => {
    const done = vi.fn();
    void sleep(2_147_483_647 + 1_000, never).then(done);
    await vi.advanceTimersByTimeAsync(2_147_483_647);
    expect(done).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(done).toHaveBeenCalledOnce();
  });

  test("nonsense waits are no waits", async () => {
    const waits = Promise.all([sleep(Number.NaN, never), sleep(-5, never)]);
    await vi.advanceTimersByTimeAsync(1);
    await waits;
  });
});

describe("deadline", () => {
  test("fires its signal with a timeout", () => {
    using limit = deadline(100, "too slow");
    vi.advanceTimersByTime(100);
    expect(limit.signal.aborted).toBe(true);
    expect(isTimeout(limit.signal.reason)).toBe(true);
    expect(limit.signal.reason.message).toBe("too slow");
  });

  test("a restart gives the full time again", () => {
    using limit = deadline(100);
    vi.advanceTimersByTime(99);
    limit.restart();
    vi.advanceTimersByTime(99);
    expect(limit.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(limit.signal.aborted).toBe(true);
  });

  test("disposed, it never fires, not even after a restart", () => {
    const limit = deadline(100);
    limit[Symbol.dispose]();
    limit.restart();
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(1_000);
    expect(limit.signal.aborted).toBe(false);
  });
});

describe("linked signals", () => {
  test("the first to fire fires the link, with its reason", () => {
    const [a, b] = [new AbortController(), new AbortController()];
    const linked = linkSignals(a.signal, undefined, b.signal);
    b.abort("b");
    a.abort("a");
    expect(linked.reason).toBe("b");
  });

  test("nothing to link never fires, and one signal is itself", () => {
    const { signal } = new AbortController();
    expect(linkSignals(undefined, never)).toBe(never);
    expect(linkSignals(signal, signal, never)).toBe(signal);
  });

  test("a signal that already fired counts", () => {
    expect(linkSignals(new AbortController().signal, AbortSignal.abort("x")).reason).toBe("x");
  });
});

describe("racing an abort", () => {
  test("the promise's outcome comes through, and the listener goes", async () => {
    const { signal } = new AbortController();
    expect(await raceAbort(Promise.resolve(7), signal)).toBe(7);
    await expect(raceAbort(Promise.reject(new Error("x")), signal)).rejects.toThrow("x");
    expect(listeners(signal)).toBe(0);
  });

  test("the abort wins over a promise that hangs, and a late failure of it is nobody's surprise", async () => {
    const controller = new AbortController();
    let failLate: (error: Error) => void = () => undefined;
    const hanging = new Promise<never>((_, reject) => {
      failLate = reject;
    });
    const race = raceAbort(hanging, controller.signal);
    controller.abort("stop");
    await expect(race).rejects.toBe("stop");
    failLate(new Error("late"));
    await vi.advanceTimersByTimeAsync(1);
  });

  test("a signal that fired before wins over a promise that is ready", async () => {
    await expect(raceAbort(Promise.resolve(1), AbortSignal.abort("before"))).rejects.toBe("before");
  });
});

describe("onAbort", () => {
  test("acts once, and not after disposal", () => {
    const controller = new AbortController();
    const seen: unknown[] = [];
    onAbort(controller.signal, (reason) => seen.push(reason));
    onAbort(controller.signal, () => seen.push("disposed"))[Symbol.dispose]();
    controller.abort("r");
    expect(seen).toEqual(["r"]);
  });

  test("acts at once when it is too late already", () => {
    const act = vi.fn();
    onAbort(AbortSignal.abort("x"), act);
    expect(act).toHaveBeenCalledExactlyOnceWith("x");
  });
});

test("cancellations and timeouts are told apart", () => {
  const cancelled = AbortSignal.abort().reason;
  const timedOut = new DOMException("x", "TimeoutError");
  expect([isAbort(cancelled), isAbort(timedOut), isAbort(new Error("AbortError")), isAbort("x")]).toEqual([
    true,
    false,
    false,
    false,
  ]);
  expect([isTimeout(cancelled), isTimeout(timedOut)]).toEqual([false, true]);
});

describe("timeLimit", () => {
  test("fires after its time with a timeout, though nobody but a listener holds the signal and memory is cleaned up", async () => {
    vi.useRealTimers();
    setFlagsFromString("--expose-gc");
    const collectGarbage = runInNewContext("gc") as () => void;
    const listen = (): Promise<unknown> =>
      new Promise((resolve) => {
        const limited = timeLimit(50, new AbortController().signal);
        limited.addEventListener("abort", () => resolve(limited.reason), { once: true });
      });
    const fired = listen();
    // Keeps the program alive, as whatever waits under the limit does.
    const collecting = setInterval(collectGarbage, 5);
    try {
      expect(isTimeout(await fired)).toBe(true);
    } finally {
      clearInterval(collecting);
    }
  });

  test("fires at once with the reason of another signal", () => {
    const controller = new AbortController();
    const limited = timeLimit(1_000, controller.signal, undefined);
    controller.abort("stopped");
    expect(limited.reason).toBe("stopped");
  });
});
