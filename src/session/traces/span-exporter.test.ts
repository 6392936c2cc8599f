import { describe, expect, it } from "vitest";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { systemClock } from "#foundation/time/clock";
import { startCollector } from "../../../test/fakes/collector.ts";
import { type Span, traceOfTurn } from "./span.ts";
import { SpanExporter } from "./span-exporter.ts";

const span: Span = {
  ...traceOfTurn("trn_1"),
  name: "chat fake-model",
  kind: "client",
  startMs: 1_700_000_000_000,
  endMs: 1_700_000_000_250,
  attributes: { words: "it is swordfish", count: 3, share: 0.5, isLast: true },
};

function exporter(url: string) {
  const logger = memoryLogger();
  const redact = (text: string): string => text.replaceAll("swordfish", "***");
  const options = { headers: {}, resource: {}, includesContent: true, clock: systemClock, redact, logger };
  return { logger, spans: new SpanExporter({ ...options, url: `${url}/v1/traces` }) };
}

describe("spans on their way to a collector", () => {
  it("wait in a queue with an end: what is too much is dropped [40:PRC-44]", async () => {
    await using collector = await startCollector();
    const { spans } = exporter(collector.url);
    for (let n = 0; n < 3_000; n += 1) spans.add(span);
    await spans[Symbol.asyncDispose]();
    expect(collector.faults).toEqual([]);
    expect(collector.spans).toHaveLength(2_048);
  });

  it("are cleaned of secrets before they are shortened [40:PRC-44]", async () => {
    await using collector = await startCollector();
    const { spans } = exporter(collector.url);
    spans.add(span);
    // The limit would cut the secret in two.
    spans.add({ ...span, attributes: { words: `${"x".repeat(4_090)}swordfish` } });
    await spans[Symbol.asyncDispose]();
    expect(collector.spans.map(({ attributes }) => attributes)).toEqual([
      { words: "it is ***", count: "3", share: "0.5", isLast: true },
      { words: `${"x".repeat(4_090)}***` },
    ]);
  });

  it("are sent again when the collector is busy, and the log says so once [40:PRC-44]", async () => {
    await using collector = await startCollector();
    const { spans, logger } = exporter(collector.url);
    collector.trouble(503);
    spans.add(span);
    await expect.poll(() => collector.calls.length, { timeout: 30_000 }).toBeGreaterThan(1);
    expect(logger.lines.map(({ message }) => message)).toEqual(["traces could not be sent"]);
    collector.trouble(200);
    await expect.poll(() => collector.calls.length, { timeout: 30_000 }).toBeGreaterThan(2);
    await spans[Symbol.asyncDispose]();
    expect(logger.lines).toHaveLength(1);
  });
});
