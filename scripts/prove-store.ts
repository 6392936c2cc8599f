import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { isValid, repair, type SessionId } from "#conversation";
import { silentLogger } from "#foundation/files/logger";
import { sleep } from "#foundation/lifecycle/abort";
import { systemClock } from "#foundation/time/clock";
import { openStore } from "#store";
import { SqliteConnection } from "../src/store/sqlite/connection.ts";
import { loadSqlite } from "../src/store/sqlite/driver.ts";

/**
 * The proof that a kill loses nothing: eight processes write to one file and are killed at random moments, also while
 * they open it. After every round the file must be sound, every message a writer was told is stored must be there
 * exactly once, what was written together must be there together, and every history must be acceptable after repair.
 */
export interface ProofOptions {
  readonly kills: number;
  readonly writers?: number;
  readonly signal: AbortSignal;
  readonly onRound?: (report: ProofReport) => void;
}

export interface ProofReport {
  readonly kills: number;
  readonly rounds: number;
  readonly files: number;
  /** Messages whose writer was told that they are stored. */
  readonly acknowledged: number;
  /** Messages found in the files; some were stored but their writer died before it could say so. */
  readonly stored: number;
  readonly lost: number;
  readonly doubled: number;
  readonly problems: readonly string[];
}

/** A new file every so many rounds, so that its creation is interrupted too. */
const roundsPerFile = 20;
const shortLifeMs = 160;
/** Some live long enough to be killed while they tidy up. */
const longLifeMs = 1_500;
const shareOfLongLives = 0.15;

const root = fileURLToPath(new URL("..", import.meta.url));

export async function proveStore(options: ProofOptions): Promise<ProofReport> {
  const programs = await buildPrograms();
  const folder = await mkdtemp(join(tmpdir(), "hermes-prove-"));
  let report: ProofReport = {
    kills: 0,
    rounds: 0,
    files: 0,
    acknowledged: 0,
    stored: 0,
    lost: 0,
    doubled: 0,
    problems: [],
  };
  try {
    while (report.kills < options.kills) {
      options.signal.throwIfAborted();
      const path = join(folder, `state-${Math.floor(report.rounds / roundsPerFile)}.db`);
      const isNewFile = report.rounds % roundsPerFile === 0;
      const writers = Math.min(options.writers ?? 8, options.kills - report.kills);
      const lives = await Promise.all(
        Array.from({ length: writers }, () => liveAndDie(programs, path, options.signal)),
      );
      const checked = await check(
        path,
        lives.flatMap((life) => life.acknowledged),
      );
      report = {
        kills: report.kills + lives.filter((life) => life.wasKilled).length,
        rounds: report.rounds + 1,
        files: report.files + (isNewFile ? 1 : 0),
        acknowledged: report.acknowledged + lives.reduce((sum, life) => sum + life.acknowledged.length, 0),
        stored: report.stored + checked.newlyStored,
        lost: report.lost + checked.lost,
        doubled: report.doubled + checked.doubled,
        problems: [...report.problems, ...checked.problems, ...lives.flatMap((life) => life.problems)],
      };
      options.onRound?.(report);
    }
    return report;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Programs {
  readonly writer: string;
  readonly worker: string;
}

async function buildPrograms(): Promise<Programs> {
  // Inside the repository, so that packages are found from there.
  const folder = join(root, "node_modules", ".cache", "hermes-prove");
  await mkdir(folder, { recursive: true });
  const esbuild = createRequire(import.meta.url)("esbuild") as typeof import("esbuild");
  const programs = { writer: join(folder, "writer.mjs"), worker: join(folder, "store-worker.mjs") };
  const entries = [
    [join(root, "scripts/prove-store-writer.ts"), programs.writer],
    [join(root, "src/store/sqlite/worker.ts"), programs.worker],
  ] as const;
  for (const [entry, outfile] of entries)
    await esbuild.build({
      entryPoints: [entry],
      outfile,
      bundle: true,
      platform: "node",
      format: "esm",
      target: "node20",
      conditions: ["hermes-source"],
      packages: "external",
      logLevel: "error",
    });
  return programs;
}

interface Life {
  readonly acknowledged: readonly string[];
  readonly wasKilled: boolean;
  readonly problems: readonly string[];
}

async function liveAndDie(programs: Programs, path: string, signal: AbortSignal): Promise<Life> {
  const child = spawn(process.execPath, [programs.writer, path, programs.worker], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  let errors = "";
  child.stdout?.setEncoding("utf8").on("data", (piece: string) => {
    output += piece;
  });
  child.stderr?.setEncoding("utf8").on("data", (piece: string) => {
    errors += piece;
  });
  const gone = new Promise<NodeJS.Signals | null>((resolve) => child.once("close", (_code, by) => resolve(by)));
  // One in five dies while it opens the file, the others in the middle of their work.
  if (Math.random() > 0.2) await firstWord(child);
  const longestMs = Math.random() < shareOfLongLives ? longLifeMs : shortLifeMs;
  await sleep(Math.random() * longestMs, signal).finally(() => child.kill("SIGKILL"));
  const by = await gone;
  return {
    // The last line may have been cut; only whole lines were said.
    acknowledged: [...new Set(output.split("\n").slice(0, -1))],
    wasKilled: by === "SIGKILL",
    problems: by === "SIGKILL" ? [] : [`a writer ended by itself: ${errors.trim()}`],
  };
}

async function firstWord(child: ChildProcess): Promise<void> {
  await new Promise<void>((resolve) => {
    child.stdout?.once("data", () => resolve());
    child.once("close", () => resolve());
  });
}

interface Check {
  readonly newlyStored: number;
  readonly lost: number;
  readonly doubled: number;
  readonly problems: readonly string[];
}

async function check(path: string, acknowledged: readonly string[]): Promise<Check> {
  const problems: string[] = [];
  // Opened as the next Hermes process would: this also finishes a creation that was cut off.
  await using store = await openStore({ path }, { clock: systemClock, log: silentLogger });
  using connection = new SqliteConnection(await loadSqlite(), path, { busyTimeoutMs: 5_000 });
  for (const row of connection.all("PRAGMA integrity_check"))
    if (row.integrity_check !== "ok") problems.push(`integrity: ${row.integrity_check}`);
  for (const row of connection.all("PRAGMA foreign_key_check")) problems.push(`foreign key: ${JSON.stringify(row)}`);
  connection.exec("INSERT INTO messages_fts(messages_fts, rank) VALUES ('integrity-check', 1)");
  const counts = new Map<string, number>();
  for (const row of connection.all("SELECT uid, count(*) AS n FROM messages GROUP BY uid"))
    counts.set(String(row.uid), Number(row.n));
  const asked = new Set(acknowledged);
  const lost = [...asked].filter((uid) => !counts.has(uid)).length;
  const doubled = [...counts.values()].filter((count) => count !== 1).length;
  problems.push(...togetherness(connection), ...(await histories(store, connection)));
  const newlyStored = markSeen(connection);
  return { newlyStored, lost, doubled, problems };
}

/** A final message and what is owed for it were one transaction; counters and rows were one, too. */
function togetherness(connection: SqliteConnection): readonly string[] {
  const halves = connection.all(
    `SELECT o.idempotency_key AS name FROM gw_outbox o LEFT JOIN messages m ON m.uid = o.idempotency_key WHERE m.id IS NULL
     UNION ALL SELECT m.uid FROM messages m LEFT JOIN gw_outbox o ON o.idempotency_key = m.uid
     WHERE m.content LIKE 'done with %' AND o.id IS NULL`,
  );
  const wrong = connection.all(
    `SELECT s.id FROM sessions s LEFT JOIN (SELECT session_id, count(*) AS n FROM messages GROUP BY session_id) m
       ON m.session_id = s.id WHERE s.message_count <> coalesce(m.n, 0)`,
  );
  return [
    ...halves.map((row) => `half a transaction: ${row.name}`),
    ...wrong.map((row) => `session ${row.id} counts its messages wrongly`),
  ];
}

/** The sessions of this round, as an agent would take them up again. */
async function histories(
  store: Awaited<ReturnType<typeof openStore>>,
  connection: SqliteConnection,
): Promise<readonly string[]> {
  const problems: string[] = [];
  const sessions = connection.all("SELECT DISTINCT session_id AS id FROM messages WHERE id > ?", [
    seenThrough(connection),
  ]);
  for (const row of sessions) {
    const messages = await store.messages.conversation(String(row.id) as SessionId);
    const numbers = messages.flatMap((message) => /number (\d+)/.exec(String(message.content))?.[1] ?? []).map(Number);
    if (numbers.some((number, index) => number !== index))
      problems.push(`session ${row.id} has a hole or is out of order`);
    if (!isValid(repair(messages).messages)) problems.push(`session ${row.id} is not acceptable after repair`);
  }
  return problems;
}

function seenThrough(connection: SqliteConnection): number {
  return Number(connection.get("SELECT value FROM state_meta WHERE key = 'prove.seen'")?.value ?? 0);
}

function markSeen(connection: SqliteConnection): number {
  const from = seenThrough(connection);
  const row = connection.get("SELECT count(*) AS n, max(id) AS last FROM messages WHERE id > ?", [from]);
  connection.run(
    "INSERT INTO state_meta (key, value) VALUES ('prove.seen', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
    [String(row?.last ?? from)],
  );
  return Number(row?.n ?? 0);
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { kills: { type: "string", default: "1000" } } });
  const startedAt = performance.now();
  let lastShown = 0;
  const report = await proveStore({
    kills: Number(values.kills),
    signal: new AbortController().signal,
    onRound: (soFar) => {
      if (soFar.kills - lastShown < 100) return;
      lastShown = soFar.kills;
      console.log(
        `${soFar.kills} kills, ${soFar.acknowledged} acknowledged, ${soFar.lost} lost, ${soFar.doubled} doubled`,
      );
    },
  });
  console.log(JSON.stringify({ ...report, seconds: Math.round((performance.now() - startedAt) / 1000) }, null, 2));
  if (report.lost > 0 || report.doubled > 0 || report.problems.length > 0) process.exitCode = 1;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await main();
