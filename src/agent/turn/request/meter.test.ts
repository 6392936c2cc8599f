import { describe, expect, it } from "vitest";
import { type Message, zeroUsage } from "#conversation";
import { ContextMeter, type MeteredRequest } from "./meter.ts";

const message = (length: number): Message => ({ role: "user", content: "word ".repeat(length) });
const request = (...messages: readonly Message[]): MeteredRequest => ({
  system: "You are Hermes.",
  tools: [],
  messages,
});

describe("the one measure of a context [10:D12] [10:COMP-2]", () => {
  it("estimates until a provider has counted, then adds to what was counted", () => {
    const meter = new ContextMeter();
    const first = message(100);
    expect(meter.source).toBe("estimated");
    expect(meter.current(request(first))).toBe(meter.estimate(request(first)));
    meter.observe(request(first), { ...zeroUsage, input: 900, cacheRead: 100 });
    expect(meter.source).toBe("measured");
    expect(meter.current(request(first))).toBe(1_000);
    expect(meter.current(request(first, message(10)))).toBeGreaterThan(1_000);
  });

  it("learns how far its estimates are off, within bounds [20:R6.6]", () => {
    const meter = new ContextMeter();
    const first = message(100);
    const estimate = meter.estimate(request(first));
    const learned = (): number => {
      meter.forget();
      return meter.current(request(first));
    };
    meter.observe(request(first), { ...zeroUsage, input: estimate * 10 });
    expect(learned()).toBe(2 * estimate);
    meter.observe(request(first), { ...zeroUsage, input: estimate });
    expect(learned()).toBe(Math.ceil(1.5 * estimate));
  });

  it("forgets a count that says nothing about the next request, and keeps what it learned", () => {
    const meter = new ContextMeter();
    const first = message(100);
    const estimate = meter.estimate(request(first));
    meter.observe(request(first), { ...zeroUsage, input: estimate * 2 });
    meter.forget();
    expect(meter.source).toBe("estimated");
    expect(meter.current(request(first))).toBe(estimate * 2);
    meter.observe(request(first), undefined);
    expect(meter.source).toBe("estimated");
  });

  it("falls back to the estimate when messages were taken away", () => {
    const meter = new ContextMeter();
    const [first, second] = [message(100), message(50)];
    meter.observe(request(first, second), { ...zeroUsage, input: 10_000 });
    expect(meter.current(request(second))).toBeLessThan(10_000);
  });
});
