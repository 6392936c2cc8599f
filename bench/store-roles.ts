import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks";
import type { Message, SessionId } from "#conversation";
import { silentLogger } from "#foundation/files/logger";
import { never } from "#foundation/lifecycle/abort";
import { newId } from "#foundation/text/ids";
import { systemClock } from "#foundation/time/clock";
import { openStore, type Store } from "#store";
import { SqliteConnection } from "../src/store/sqlite/connection.ts";
import { loadSqlite } from "../src/store/sqlite/driver.ts";
import { type TextSource, textSource } from "./store-text.ts";

/** What one process of the benchmark does; started as `node store-roles.cjs <role> <json>`, answers with one line of JSON. */
interface Task {
  readonly path: string;
  readonly workerFile: string;
  readonly seed: number;
  readonly count: number;
  readonly sessions: number;
  readonly pauseMs: number;
  /** All writers begin together, when all have started. */
  readonly beginAtMs: number;
}

/** The first appends compile the program; an agent has done that long before its second step. */
const warmUpAppends = 30;

const roles: Readonly<Record<string, (task: Task) => Promise<unknown>>> = {
  fill,
  open: timeOpening,
  append: timeAppends,
  "append-bare": timeBareAppends,
  search: timeSearches,
  "search-bare": timeBareSearches,
  export: timeExport,
  list: timeListing,
};

function open(task: Task): Promise<Store> {
  return openStore({ path: task.path }, { clock: systemClock, log: silentLogger, workerFile: task.workerFile });
}

/** Writes the data set through the store itself, many sessions to a transaction. */
async function fill(task: Task): Promise<unknown> {
  const text = textSource(task.seed);
  await using store = await open(task);
  const perSession = Math.max(1, Math.round(task.count / task.sessions));
  const startMs = Date.UTC(2025, 0, 1);
  let bytes = 0;
  const startedAt = performance.now();
  for (let first = 0; first < task.sessions; first += 100) {
    await store.transaction(async (tx) => {
      for (let index = first; index < Math.min(first + 100, task.sessions); index += 1) {
        const id = sessionId(index);
        await tx.sessions.create({
          id,
          source: index % 3 === 0 ? "telegram" : "cli",
          model: `model-${index % 5}`,
          startedAtMs: startMs + index * 60_000,
        });
        const messages = Array.from({ length: perSession }, (_, step) =>
          message(text, step, startMs / 1000 + index * 60 + step),
        );
        bytes += messages.reduce((sum, entry) => sum + Buffer.byteLength(String(entry.content)), 0);
        await tx.messages.append(id, messages);
      }
    });
  }
  const writtenAt = performance.now();
  const indexed = await store.maintenance.indexPending(never);
  return { bytes, writeMs: writtenAt - startedAt, indexed, indexMs: performance.now() - writtenAt };
}

function message(text: TextSource, step: number, timestamp: number): Message {
  const base = { uid: newId("msg"), timestamp };
  if (step % 2 === 0) return { ...base, role: "user", content: text.message() };
  return { ...base, role: "assistant", content: text.message(), finish_reason: "stop" };
}

function sessionId(index: number): SessionId {
  const mixed = (Math.imul(index + 1, 2_654_435_761) >>> 0).toString(16).padStart(8, "0");
  const day = new Date(Date.UTC(2025, 0, 1) + index * 60_000).toISOString().replace(/[-:]/g, "");
  return `${day.slice(0, 8)}_${day.slice(9, 15)}_${mixed}` as SessionId;
}

async function timeOpening(task: Task): Promise<unknown> {
  const startedAt = performance.now();
  await using store = await open(task);
  const openMs = performance.now() - startedAt;
  await store.sessions.get(sessionId(1));
  return { openMs, firstReadMs: performance.now() - startedAt };
}

async function timeAppends(task: Task): Promise<unknown> {
  const text = textSource(task.seed);
  await using store = await open(task);
  const id = `bench_writer_${task.seed}` as SessionId;
  const latencies: number[] = [];
  await systemClock.sleep(task.beginAtMs - Date.now(), never);
  const startedAt = performance.now();
  for (let step = -warmUpAppends; step < task.count; step += 1) {
    const entry = { ...message(text, Math.abs(step), Date.now() / 1000), uid: newId("msg") };
    const before = performance.now();
    await store.messages.append(id, [entry]);
    if (step >= 0) latencies.push(performance.now() - before);
    // A random pause, so that writers do not march in step; without one they all press as hard as they can.
    await systemClock.sleep(task.pauseMs * 2 * text.random(), never);
  }
  return { latencies, totalMs: performance.now() - startedAt };
}

/** The least any store on this file could do: the same rows, written by bare statements. */
async function timeBareAppends(task: Task): Promise<unknown> {
  const text = textSource(task.seed);
  using connection = new SqliteConnection(await loadSqlite(), task.path, { busyTimeoutMs: 10_000 });
  connection.exec("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON");
  const id = `bench_bare_${task.seed}`;
  connection.run("INSERT INTO sessions (id, source, started_at) VALUES (?, 'cli', 0) ON CONFLICT DO NOTHING", [id]);
  const latencies: number[] = [];
  await systemClock.sleep(task.beginAtMs - Date.now(), never);
  const startedAt = performance.now();
  for (let step = -warmUpAppends; step < task.count; step += 1) {
    const content = text.message();
    const uid = newId("msg");
    const before = performance.now();
    connection.exec("BEGIN IMMEDIATE");
    connection.run("INSERT INTO messages (session_id, role, content, timestamp, uid) VALUES (?, 'user', ?, ?, ?)", [
      id,
      content,
      Date.now() / 1000,
      uid,
    ]);
    connection.run("UPDATE sessions SET message_count = message_count + 1 WHERE id = ?", [id]);
    connection.exec("COMMIT");
    if (step >= 0) latencies.push(performance.now() - before);
    await systemClock.sleep(task.pauseMs * 2 * text.random(), never);
  }
  return { latencies, totalMs: performance.now() - startedAt };
}

/** What people look for: rare and common words, several at once, phrases, prefixes, Chinese, parts of words. */
export function queries(text: TextSource, count: number): readonly string[] {
  const rank = (from: number, to: number): string => text.word(from + Math.floor(text.random() * (to - from)));
  const kinds = [
    () => rank(1_000, 20_000),
    () => rank(100, 1_000),
    () => `${rank(50, 500)} ${rank(500, 5_000)}`,
    () => `${rank(20, 200)} ${rank(200, 2_000)} ${rank(200, 2_000)}`,
    () => `"${rank(0, 50)} ${rank(0, 200)}"`,
    () => `${rank(500, 5_000)} OR ${rank(5_000, 20_000)}`,
    () => `${rank(300, 3_000)} NOT ${rank(0, 100)}`,
    () => `${rank(2_000, 20_000).slice(0, 6)}*`,
    () => text.cjkWord(Math.floor(text.random() * 500)),
    () => `${text.cjkWord(Math.floor(text.random() * 100))}${text.cjkWord(Math.floor(text.random() * 100))}`,
    () => rank(0, 20),
    () => `${rank(2_000, 20_000).slice(1, 7)}`,
  ];
  return Array.from({ length: count }, (_, index) => (kinds[index % kinds.length] ?? (() => ""))());
}

async function timeSearches(task: Task): Promise<unknown> {
  const text = textSource(task.seed);
  await using store = await open(task);
  await store.search.messages(text.word(25_000));
  const delay = watchLoop();
  const latencies: number[] = [];
  const slowest: [number, string][] = [];
  for (const query of queries(text, task.count)) {
    const before = performance.now();
    await store.search.messages(query);
    const took = performance.now() - before;
    latencies.push(took);
    slowest.push([Math.round(took), query]);
  }
  const live = await findLiveMessages(store);
  return { latencies, stallMs: stopWatching(delay), live, slowest: slowest.sort((a, b) => b[0] - a[0]).slice(0, 8) };
}

/** A message must be found the moment it is stored. */
async function findLiveMessages(store: Store): Promise<{ readonly found: number; readonly asked: number }> {
  let found = 0;
  const asked = 20;
  for (let index = 0; index < asked; index += 1) {
    const marker =
      index % 2 === 0 ? `livemarker${index}x${process.pid}` : `龘靐${String.fromCodePoint(0x9000 + index)}龖`;
    const uid = newId("msg");
    await store.messages.append("bench_live" as SessionId, [{ role: "user", content: `now ${marker} here`, uid }]);
    const hits = await store.search.messages(marker);
    if (hits.some((hit) => hit.uid === uid)) found += 1;
  }
  return { found, asked };
}

async function timeBareSearches(task: Task): Promise<unknown> {
  const text = textSource(task.seed);
  using connection = new SqliteConnection(await loadSqlite(), task.path, { busyTimeoutMs: 10_000 });
  const { parseQuery, renderFts5 } = await import("../src/store/search/query.ts");
  const sql =
    "SELECT rowid, snippet(messages_fts, 0, '>>>', '<<<', '...', 40) AS s FROM messages_fts WHERE messages_fts MATCH ? ORDER BY rank LIMIT 20";
  connection.all(sql, [text.word(25_000)]);
  const latencies: number[] = [];
  for (const query of queries(text, task.count)) {
    const before = performance.now();
    connection.all(sql, [renderFts5(parseQuery(query))]);
    latencies.push(performance.now() - before);
  }
  return { latencies };
}

async function timeExport(task: Task): Promise<unknown> {
  await using store = await open(task);
  await store.search.messages("warm");
  const delay = watchLoop();
  const startedAt = performance.now();
  let sessions = 0;
  let messages = 0;
  for await (const session of store.sessions.exportAll()) {
    sessions += 1;
    messages += session.messages.length;
  }
  return { sessions, messages, totalMs: performance.now() - startedAt, stallMs: stopWatching(delay) };
}

async function timeListing(task: Task): Promise<unknown> {
  await using store = await open(task);
  await store.sessions.list();
  const timed = async (act: () => Promise<unknown>): Promise<number> => {
    const before = performance.now();
    await act();
    return performance.now() - before;
  };
  return {
    listMs: await timed(() => store.sessions.list({ limit: 20 })),
    statisticsMs: await timed(() => store.reports.statistics()),
    insightsMs: await timed(() => store.reports.insights({ sinceMs: 0 })),
    readSessionMs: await timed(() => store.messages.conversation(sessionId(1000))),
  };
}

function watchLoop(): IntervalHistogram {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  return delay;
}

function stopWatching(delay: IntervalHistogram): number {
  delay.disable();
  return delay.max / 1e6;
}

const [, , role = "", json = "{}"] = process.argv;
const act = roles[role];
if (act !== undefined)
  void act(JSON.parse(json) as Task).then(
    (answer) => process.stdout.write(`${JSON.stringify(answer)}\n`),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
      process.exitCode = 1;
    },
  );
