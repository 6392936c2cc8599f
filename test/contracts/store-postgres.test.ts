import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { silentLogger } from "#foundation/files/logger";
import { FakeClock } from "#foundation/testing/fake-clock";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { systemClock } from "#foundation/time/clock";
import { openStore } from "#store";
import { findPostgres, type PostgresServer, startPostgres } from "./store/postgres-server.ts";
import { session } from "./store/subject.ts";
import { storeContract } from "./store.ts";

const found = findPostgres();
// Said aloud, so that a green run without a server is not mistaken for a proof.
if (found.kind === "missing") process.stderr.write(`\nThe store's PostgreSQL tests are skipped: ${found.why}\n`);

describe.skipIf(found.kind === "missing")("with a PostgreSQL server", () => {
  let server: PostgresServer | undefined;
  const url = (): string => server?.url ?? "";

  beforeAll(async () => {
    if (found.kind === "present") server = await startPostgres(found.bin);
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
  });

  const emptyTables = async (): Promise<void> => {
    const client = new pg.Client({ connectionString: url() });
    await client.connect();
    const tables = await client.query<{ name: string }>(
      `SELECT schemaname || '.' || tablename AS name FROM pg_tables
       WHERE (schemaname = 'public' AND tablename <> 'schema_version') OR (schemaname = 'pgboss' AND tablename = 'job')`,
    );
    const names = tables.rows.map((row) => row.name).join(", ");
    if (names !== "") await client.query(`TRUNCATE ${names} RESTART IDENTITY CASCADE`);
    await client.end();
  };

  storeContract({ name: "PostgreSQL", open: (deps) => openStore({ url: url() }, deps), cleanUp: emptyTables });

  describe("openStore on PostgreSQL", () => {
    const log = silentLogger;
    const deps = { clock: new FakeClock(), log };

    it("several processes may open a new database at once [40:SCL-24]", async () => {
      const client = new pg.Client({ connectionString: url() });
      await client.connect();
      await client.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public; DROP SCHEMA IF EXISTS pgboss CASCADE");
      await client.end();
      const real = { clock: systemClock, log };
      const stores = await Promise.all(Array.from({ length: 6 }, () => openStore({ url: url() }, real)));
      // The tables of the hints are made by the first of them, too.
      await Promise.all(stores.map((store, index) => store.signals.wake(`agent:${index}`)));
      for (const store of stores) await store[Symbol.asyncDispose]();
      expect(stores).toHaveLength(6);
      await emptyTables();
    });

    it("two workers append to one session without loss [10:A10.3] [40:SCL-29]", async () => {
      const stores = await Promise.all([1, 2].map(() => openStore({ url: url() }, deps)));
      await Promise.all(
        stores.map(async (store, worker) => {
          for (let index = 0; index < 100; index += 1)
            await store.messages.append(session("shared"), [
              { role: "user", content: `m${index}`, uid: `${worker}-${index}` },
            ]);
        }),
      );
      expect(await stores[0]?.messages.count(session("shared"))).toBe(200);
      expect((await stores[1]?.sessions.get(session("shared")))?.messageCount).toBe(200);
      for (const store of stores) await store[Symbol.asyncDispose]();
      await emptyTables();
    });

    it("each session that waits goes to one of several workers, while it has room [40:SCL-7] [40:SCL-22]", async () => {
      const stores = await Promise.all([1, 2, 3].map(() => openStore({ url: url() }, { clock: systemClock, log })));
      const taken: { worker: number; key: string }[] = [];
      for (const [worker, store] of stores.entries())
        await store.signals.serve({
          room: () => 4 - taken.filter((one) => one.worker === worker).length,
          woken: (key) => void taken.push({ worker, key }),
          touched: () => undefined,
        });
      const keys = Array.from({ length: 12 }, (_, index) => `agent:${String(index).padStart(2, "0")}`);
      for (const key of keys) await stores[0]?.signals.wake(key);
      await expect.poll(() => taken.length, { timeout: 15_000 }).toBe(12);
      expect(new Set(taken.map(({ key }) => key))).toEqual(new Set(keys));
      for (const worker of [0, 1, 2]) expect(taken.filter((one) => one.worker === worker)).toHaveLength(4);
      for (const store of stores) await store[Symbol.asyncDispose]();
      await emptyTables();
    });

    it("a connection that the server ends between two statements fails its transaction, and not the program [40:SCL-20]", async () => {
      const logger = memoryLogger();
      const store = await openStore({ url: url() }, { clock: systemClock, log: logger });
      const other = new pg.Client({ connectionString: url() });
      await other.connect();
      const inTransaction = "state = 'idle in transaction' AND pid <> pg_backend_pid()";
      const written = store.transaction(async (tx) => {
        await tx.meta.set("before", "1");
        await other.query(`SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE ${inTransaction}`);
        // The connection's end is heard of while nobody asks it anything.
        await expect.poll(() => JSON.stringify(logger.lines)).toContain("a database connection was lost");
        await tx.meta.set("after", "1");
      });
      await expect(written).rejects.toThrow();
      expect(await store.meta.get("before")).toBeUndefined();
      await other.end();
      await store[Symbol.asyncDispose]();
      await emptyTables();
    });

    it("refuses a database of a newer program [10:STORE-5]", async () => {
      const client = new pg.Client({ connectionString: url() });
      await client.connect();
      await client.query("UPDATE schema_version SET version = 99");
      await expect(openStore({ url: url() }, deps)).rejects.toThrow("version 99");
      await client.query("UPDATE schema_version SET version = 10");
      await client.end();
    });

    it("says what to check when the server cannot be reached, without the password", async () => {
      const log = memoryLogger();
      const opening = openStore({ url: "postgres://me:hunter2@127.0.0.1:1/db" }, { clock: new FakeClock(), log });
      await expect(opening).rejects.toThrow("127.0.0.1:1");
      await expect(opening).rejects.not.toThrow("hunter2");
    });

    it("does not copy the server's files, and says with what to do it", async () => {
      await using store = await openStore({ url: url() }, deps);
      await expect(store.maintenance.backup("/tmp/none", new AbortController().signal)).rejects.toThrow("PostgreSQL");
      await store.maintenance.compact(new AbortController().signal);
    });
  });
});
