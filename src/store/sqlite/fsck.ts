import type { SessionId } from "#conversation";
import { describe } from "#foundation/errors";
import { plural } from "#foundation/text/figures";
import { recount } from "../counters.ts";
import type { Database } from "../database.ts";
import { fingerprint, fsckReport } from "../fingerprint.ts";
import type { FsckReport } from "../records/report.ts";
import { number, text } from "../row.ts";
import { indexedThrough, indexPending, resetGramIndex } from "../work/gram-index.ts";
import type { TaskContext } from "./tasks.ts";

/**
 * Checks the file and mends indexes, counters and missing session rows. Messages are only read: a hash
 * over all of them before and after says so.
 */
export async function fsck(context: TaskContext, input: { repair: boolean }): Promise<FsckReport> {
  const before = await fingerprint(context.db, context.signal);
  const problems: string[] = [];
  const repairs: string[] = [];
  for (const check of [checkPages, checkOrphans, checkWordIndex, checkGramIndex, checkCounters]) {
    context.signal.throwIfAborted();
    const finding = await check(context);
    problems.push(...finding.problems);
    if (finding.problems.length === 0 || !input.repair || finding.repair === undefined) continue;
    repairs.push(await finding.repair());
  }
  const after = input.repair ? await fingerprint(context.db, context.signal) : before;
  return fsckReport({ problems, repairs }, { before, after });
}

interface Finding {
  readonly problems: readonly string[];
  readonly repair?: () => Promise<string>;
}

async function checkPages(context: TaskContext): Promise<Finding> {
  const rows = await context.db.exclusive((connection) => connection.all("PRAGMA integrity_check(20)"));
  const problems = rows.map((row) => text(row, "integrity_check")).filter((line) => line !== "ok");
  if (problems.length === 0) return { problems };
  return {
    problems: problems.map((line) => `The file is damaged: ${line}`),
    repair: async () => {
      await context.db.exclusive((connection) => connection.exec("REINDEX"));
      return "Built the indexes anew.";
    },
  };
}

/** Messages without their session would never be shown again. */
async function checkOrphans(context: TaskContext): Promise<Finding> {
  const rows = await context.db.all(
    `SELECT m.session_id, count(*) AS n, min(m.timestamp) AS first FROM messages m
     LEFT JOIN sessions s ON s.id = m.session_id WHERE s.id IS NULL GROUP BY m.session_id`,
  );
  return {
    problems: rows.map(
      (row) => `${number(row, "n")} messages belong to session ${text(row, "session_id")}, which is missing.`,
    ),
    repair: async () => {
      await context.db.transaction(async (tx) => {
        for (const row of rows) {
          const id = text(row, "session_id") as SessionId;
          await tx.run("INSERT INTO sessions (id, source, started_at, root_session_id) VALUES (?, 'recovered', ?, ?)", [
            id,
            number(row, "first"),
            id,
          ]);
          await recount(tx, id);
        }
      });
      return `Made ${rows.length} session rows for messages that had lost theirs.`;
    },
  };
}

async function checkWordIndex(context: TaskContext): Promise<Finding> {
  const problem = await context.db.exclusive((connection) => {
    try {
      connection.exec("INSERT INTO messages_fts(messages_fts, rank) VALUES ('integrity-check', 1)");
      return undefined;
    } catch (error) {
      return `The word index does not fit the messages: ${describe(error)}`;
    }
  });
  if (problem === undefined) return { problems: [] };
  return {
    problems: [problem],
    repair: async () => {
      await context.db.run("INSERT INTO messages_fts(messages_fts) VALUES ('rebuild')");
      return "Built the word index anew.";
    },
  };
}

async function checkGramIndex(context: TaskContext): Promise<Finding> {
  const problem = await gramProblem(context.db);
  if (problem === undefined) return { problems: [] };
  return {
    problems: [problem],
    repair: async () => {
      await context.db.transaction(resetGramIndex);
      const taken = await indexPending(context, { onlyIfFree: false });
      return `Built the substring index anew over ${taken} messages.`;
    },
  };
}

async function gramProblem(db: Database): Promise<string | undefined> {
  const newest = await db.get("SELECT max(id) AS newest FROM messages");
  const allocated = await db.get("SELECT seq FROM sqlite_sequence WHERE name = 'messages'");
  const highest = Math.max(
    newest === undefined ? 0 : number(newest, "newest"),
    allocated === undefined ? 0 : number(allocated, "seq"),
  );
  if ((await indexedThrough(db)) > highest) return "The substring index claims messages that were never written.";
  try {
    await db.run("INSERT INTO messages_grams(messages_grams) VALUES ('integrity-check')");
    await db.run("INSERT INTO search_words_fts(search_words_fts) VALUES ('integrity-check')");
    return undefined;
  } catch (error) {
    return `The substring index is damaged: ${describe(error)}`;
  }
}

async function checkCounters(context: TaskContext): Promise<Finding> {
  const rows = await context.db.all(
    `SELECT s.id FROM sessions s LEFT JOIN (SELECT session_id, count(*) AS n FROM messages GROUP BY session_id) m
       ON m.session_id = s.id WHERE coalesce(s.message_count, 0) <> coalesce(m.n, 0)`,
  );
  if (rows.length === 0) return { problems: [] };
  return {
    problems: [`${plural(rows.length, "session")} with a wrong count of messages.`],
    repair: async () => {
      for (const row of rows) await context.db.transaction((tx) => recount(tx, text(row, "id") as SessionId));
      return `Counted the messages of ${plural(rows.length, "session")} again.`;
    },
  };
}
