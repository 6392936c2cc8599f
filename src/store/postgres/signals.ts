import type { Pool } from "pg";
import type PgBoss from "pg-boss";
import { describe, systemErrorCode } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { isAbort, linkSignals } from "#foundation/lifecycle/abort";
import { Deferred } from "#foundation/lifecycle/deferred";
import { isRecord } from "#foundation/text/json";
import type { Clock } from "#foundation/time/clock";
import type { Database } from "../database.ts";
import type {
  Announcement,
  AnnouncementListener,
  Hint,
  HintWriter,
  OwedListener,
  Serving,
  SessionWorker,
  Signals,
} from "../signals.ts";
import { timer } from "../signals.ts";
import { rawQueries } from "./database.ts";

export interface PostgresSignalsDeps {
  readonly pool: Pool;
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
}

const queue = "gw.turn";
const chatChannel = "gw_control";
const owedChannel = "gw_owed";
const processChannel = "gw_process";
/** How often a worker looks for jobs without being told. */
const lookEveryMs = 2_000;
const reconnectMs = 1_000;
const mostStarts = 10;
/** Deadlock, serialization failure, and things that another program has just made. */
const inTheWay: ReadonlySet<string> = new Set(["40P01", "40001", "23505", "42P07", "42710"]);

/**
 * Hints by the server: jobs of pg-boss, of which one waits per session and one worker takes it, and NOTIFY for what
 * everybody hears. Both are written in the transaction that they tell of. A job is removed in the transaction that takes
 * it, because it is a hint and no record: a worker that dies leaves none behind which could hold up others.
 */
export class PostgresSignals implements Signals, HintWriter, AsyncDisposable {
  readonly #deps: PostgresSignalsDeps;
  readonly #closing = new AbortController();
  readonly #owed = new Set<OwedListener>();
  readonly #announced = new Set<AnnouncementListener>();
  readonly #workers = new Set<Worker>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #boss: Promise<PgBoss> | undefined;
  #listening: Promise<void> | undefined;

  constructor(deps: PostgresSignalsDeps) {
    this.#deps = deps;
  }

  async ready(): Promise<void> {
    await this.#started();
  }

  async write(db: Database, hint: Hint): Promise<void> {
    if (hint.kind === "owed") return await notify(db, owedChannel, JSON.stringify([hint.platform, hint.account]));
    const { sessionKey } = hint;
    const boss = await this.#started();
    await boss.send(queue, { sessionKey }, { singletonKey: sessionKey, db: bossDatabase(db) });
    await notify(db, chatChannel, sessionKey);
  }

  async wake(sessionKey: string, { inMs = 0 }: { readonly inMs?: number } = {}): Promise<void> {
    const now = (): Promise<void> => this.write(this.#deps.db, { kind: "wake", sessionKey });
    if (inMs <= 0) return await now();
    const later = (): void =>
      void now().catch((error: unknown) => {
        this.#deps.log.warn("a session was not woken; the next look finds it", { error: describe(error) });
      });
    this.#timers.add(timer(inMs, this.#timers, later));
  }

  async serve(worker: SessionWorker): Promise<Serving> {
    const boss = await this.#started();
    const one = new Worker(worker, { ...this.#deps, take: (count) => this.#take(boss, count) });
    this.#workers.add(one);
    this.#listen();
    return {
      look: () => one.look(),
      [Symbol.asyncDispose]: async () => {
        this.#workers.delete(one);
        await one[Symbol.asyncDispose]();
      },
    };
  }

  onOwed(listener: OwedListener): Disposable {
    this.#owed.add(listener);
    this.#listen();
    return { [Symbol.dispose]: () => void this.#owed.delete(listener) };
  }

  async announce(announcement: Announcement): Promise<void> {
    await notify(this.#deps.db, processChannel, announcement);
  }

  onAnnounced(listener: AnnouncementListener): Disposable {
    this.#announced.add(listener);
    this.#listen();
    return { [Symbol.dispose]: () => void this.#announced.delete(listener) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    for (const one of this.#timers) clearTimeout(one);
    for (const one of this.#workers) await one[Symbol.asyncDispose]();
    await this.#listening;
    await (await this.#boss)?.stop({ graceful: false });
  }

  /** The library is loaded by the first hint, its tables are made by the first program. */
  #started(): Promise<PgBoss> {
    this.#boss ??= this.#start();
    return this.#boss;
  }

  async #start(): Promise<PgBoss> {
    try {
      const { default: Boss } = await import("pg-boss");
      // Jobs are removed when they are taken: nothing is left to supervise or to keep for later.
      const boss = new Boss({ db: bossDatabase(this.#deps.db), supervise: false, schedule: false });
      boss.on("error", (error) => this.#deps.log.warn("a job could not be read", { error: describe(error) }));
      await this.#makeTables(boss);
      return boss;
    } catch (error) {
      this.#boss = undefined;
      throw error;
    }
  }

  /** Programs that start at the same moment may stand in each other's way here; one after the other they do not. */
  async #makeTables(boss: PgBoss): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await boss.start();
        return await boss.createQueue(queue, { name: queue, policy: "short" });
      } catch (error) {
        const code = systemErrorCode(error) ?? "";
        if (!inTheWay.has(code) || attempt >= mostStarts) throw error;
        await this.#deps.clock.sleep(attempt * 100 * (1 + Math.random()), this.#closing.signal);
      }
    }
  }

  async #take(boss: PgBoss, count: number): Promise<readonly string[]> {
    return await this.#deps.db.transaction(async (tx) => {
      const db = bossDatabase(tx);
      const jobs = await boss.fetch(queue, { batchSize: count, db });
      if (jobs.length === 0) return [];
      await boss.deleteJob(
        queue,
        jobs.map(({ id }) => id),
        { db },
      );
      return jobs.flatMap(({ data }) => (isRecord(data) ? [String(data["sessionKey"])] : []));
    });
  }

  #listen(): void {
    this.#listening ??= this.#listenUntilClosed();
  }

  async #listenUntilClosed(): Promise<void> {
    const { clock, log } = this.#deps;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        await this.#listenOnce(signal);
      } catch (error) {
        if (signal.aborted) return;
        log.warn("the database cannot be listened to", { error: describe(error) });
      }
      await clock.sleep(reconnectMs, signal).catch(rethrowUnlessAborted);
    }
  }

  async #listenOnce(signal: AbortSignal): Promise<void> {
    const client = await this.#deps.pool.connect();
    const lost = new Deferred<void>();
    client.on("notification", ({ channel, payload = "" }) => this.#heard(channel, payload));
    client.on("error", (error) => lost.reject(error));
    signal.addEventListener("abort", () => lost.resolve(), { once: true });
    try {
      await client.query(`LISTEN ${chatChannel}; LISTEN ${owedChannel}; LISTEN ${processChannel}`);
      for (const worker of this.#workers) worker.look();
      await lost.promise;
    } finally {
      // Not for others: it still listens.
      client.release(true);
    }
  }

  #heard(channel: string, payload: string): void {
    if (channel === owedChannel) {
      const [platform = "", account = ""] = JSON.parse(payload) as readonly string[];
      for (const listener of this.#owed) listener(platform, account);
      return;
    }
    if (channel === processChannel) {
      if (payload === "restart") for (const listener of this.#announced) listener(payload);
      return;
    }
    for (const worker of this.#workers) worker.touched(payload);
  }
}

interface WorkerDeps extends Pick<PostgresSignalsDeps, "clock" | "log"> {
  /** At most so many sessions that wait; each is given to one worker. */
  take(count: number): Promise<readonly string[]>;
}

/** Takes jobs while there is room: when one may wait, when there is room again, and every few seconds. */
class Worker implements AsyncDisposable {
  readonly #worker: SessionWorker;
  readonly #deps: WorkerDeps;
  readonly #end = new AbortController();
  readonly #running: Promise<void>;
  #wanted = new Deferred<void>();

  constructor(worker: SessionWorker, deps: WorkerDeps) {
    this.#worker = worker;
    this.#deps = deps;
    this.#running = this.#run();
  }

  look(): void {
    this.#wanted.resolve();
  }

  touched(sessionKey: string): void {
    this.#worker.touched(sessionKey);
    this.look();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    this.look();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#end;
    const { clock, log } = this.#deps;
    while (!signal.aborted) {
      this.#wanted = new Deferred<void>();
      const room = this.#worker.room();
      try {
        const keys = room > 0 ? await this.#deps.take(room) : [];
        for (const key of keys) this.#worker.woken(key);
        if (keys.length > 0) continue;
      } catch (error) {
        log.warn("jobs could not be taken", { error: describe(error) });
      }
      const over = new AbortController();
      const pause = clock.sleep(lookEveryMs, linkSignals(signal, over.signal)).catch(rethrowUnlessAborted);
      await Promise.race([this.#wanted.promise, pause]);
      over.abort();
    }
  }
}

function bossDatabase(db: Database): PgBoss.Db {
  const { raw } = rawQueries(db);
  return { executeSql: (text, values) => raw(text, values) };
}

async function notify(db: Database, channel: string, payload: string): Promise<void> {
  await db.get("SELECT pg_notify(?, ?)", [channel, payload]);
}

function rethrowUnlessAborted(error: unknown): void {
  if (!isAbort(error)) throw error;
}
