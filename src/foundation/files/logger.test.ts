import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Redactor } from "../secrets/redact.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { memoryLogger } from "../testing/memory-logger.ts";
import { openLogger, silentLogger, teeLogger } from "./logger.ts";

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-log-"));
  file = join(folder, "logs", "agent.log");
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const keepAll = (text: string): string => text;
const linesOf = (path: string): Record<string, unknown>[] =>
  readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test("[40:PRC-42] a line is JSON with time, level, message and fields, also those of its parents", async () => {
  {
    await using logger = openLogger({ file, redact: keepAll, clock: new FakeClock(0) });
    logger.child({ session: "ses_1" }).child({ turn: 2 }).warn("slow", { ms: 12 });
  }
  expect(linesOf(file)).toEqual([
    { time: "1970-01-01T00:00:00.000Z", level: "warn", message: "slow", session: "ses_1", turn: 2, ms: 12 },
  ]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("lines below the level are not written", async () => {
  {
    await using logger = openLogger({ file, level: "warn", redact: keepAll });
    logger.debug("d");
    logger.info("i");
    logger.warn("w");
    logger.error("e");
  }
  expect(linesOf(file).map((line) => line.message)).toEqual(["w", "e"]);
});

test("info is the level when none is given", async () => {
  {
    await using logger = openLogger({ file, redact: keepAll });
    logger.debug("d");
    logger.info("i");
  }
  expect(linesOf(file).map((line) => line.message)).toEqual(["i"]);
});

test("[40:PRC-42] [30:5.11] secrets do not reach the file, in messages, fields, keys or errors", async () => {
  const redactor = new Redactor();
  redactor.add('pass"word\\1');
  {
    await using logger = openLogger({ file, redact: redactor });
    logger.info('login with pass"word\\1', { deep: [{ note: 'pass"word\\1' }], apiKey: "x", 'pass"word\\1': 1 });
    logger.error("failed", { error: new Error('bad pass"word\\1', { cause: new Error("sk-abcdefghijklmnop1234") }) });
  }
  const text = readFileSync(file, "utf8");
  for (const form of ['pass"word\\1', JSON.stringify('pass"word\\1').slice(1, -1), "ghijklmnop"])
    expect(text).not.toContain(form);
  expect(linesOf(file)[0]).toMatchObject({ message: "login with ***", apiKey: "***", "***": 1 });
  expect(linesOf(file)[1]).toMatchObject({ error: { message: "bad ***: sk-a...1234" } });
});

test("a full file is set aside, and only as many are kept as asked", async () => {
  {
    await using logger = openLogger({ file, redact: keepAll, maxBytes: 300, keep: 2 });
    for (let n = 0; n < 12; n += 1) {
      logger.info(`line ${n}`, { pad: "x".repeat(60) });
      if (n % 5 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  }
  expect(readdirSync(join(folder, "logs")).toSorted()).toEqual(["agent.log", "agent.log.1", "agent.log.2"]);
  const kept = ["agent.log.2", "agent.log.1", "agent.log"].flatMap((name) => linesOf(join(folder, "logs", name)));
  const numbers = kept.map((line) => Number(String(line.message).slice(5)));
  expect(numbers.at(-1)).toBe(11);
  expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, n) => 12 - numbers.length + n));
  for (const name of ["agent.log", "agent.log.1", "agent.log.2"]) {
    expect(statSync(join(folder, "logs", name)).size).toBeLessThanOrEqual(300);
  }
});

test("nothing logged is lost between two loggers that share the file and rotate it", async () => {
  {
    await using a = openLogger({ file, redact: keepAll, maxBytes: 2_000, keep: 50 });
    await using b = openLogger({ file, redact: keepAll, maxBytes: 2_000, keep: 50 });
    for (let n = 0; n < 100; n += 1) {
      a.info(`a${n}`);
      b.info(`b${n}`);
      if (n % 7 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  }
  const names = readdirSync(join(folder, "logs"));
  const messages = names.flatMap((name) => linesOf(join(folder, "logs", name))).map((line) => line.message);
  expect(names.length).toBeGreaterThan(1);
  expect(new Set(messages).size).toBe(200);
});

test("a field that cannot be written does not throw into the caller", async () => {
  const cycle: Record<string, unknown> = { n: 1n };
  cycle.self = cycle;
  {
    await using logger = openLogger({ file, redact: keepAll });
    logger.info("odd", { cycle: { toJSON: () => cycle }, fn: () => 1, none: undefined });
    logger.info("after");
  }
  expect(linesOf(file).map((line) => line.message)).toEqual(["odd", "after"]);
});

test("a redactor that throws costs the line, not the caller, and nothing unredacted is written", async () => {
  {
    await using logger = openLogger({
      file,
      redact: () => {
        throw new Error("swordfish");
      },
    });
    logger.info("swordfish");
  }
  expect(readFileSync(file, "utf8")).not.toContain("swordfish");
  expect(linesOf(file)).toHaveLength(1);
});

test("a file that cannot be written is reported once, and logging goes on", async () => {
  writeFileSync(join(folder, "logs"), "not a folder");
  const problems: string[] = [];
  {
    await using logger = openLogger({ file, redact: keepAll, onProblem: (message) => problems.push(message) });
    logger.info("a");
    await new Promise((resolve) => setImmediate(resolve));
    logger.info("b");
  }
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(file);
});

test("fields named like the parts of a line do not replace them, and an endless line is cut", async () => {
  {
    await using logger = openLogger({ file, redact: keepAll, clock: new FakeClock(0) });
    logger.info("one", { message: "m", level: "l", time: "t" });
    logger.info("two", { page: "x".repeat(1_000_000) });
  }
  expect(linesOf(file)).toEqual([
    { time: "1970-01-01T00:00:00.000Z", level: "info", message: "one", _message: "m", _level: "l", _time: "t" },
    { time: "1970-01-01T00:00:00.000Z", level: "info", message: "two", cutFrom: 1_000_076 },
  ]);
});

test("logging does not wait for the disk", async () => {
  await using logger = openLogger({ file, redact: keepAll });
  logger.info("a");
  expect(existsSync(file)).toBe(false);
});

test("lines can be kept for a test, shared between logs, or dropped", () => {
  const [a, b] = [memoryLogger(), memoryLogger()];
  const both = teeLogger(a, b).child({ s: 1 });
  both.error("x", { n: 2 });
  silentLogger.child({}).error("y");
  expect(a.lines).toEqual([{ level: "error", message: "x", fields: { s: 1, n: 2 } }]);
  expect(b.lines).toEqual(a.lines);
});
