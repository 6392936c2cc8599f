import { type IndexContext, indexPending } from "../work/gram-index.ts";
import type { SqliteConnection } from "./connection.ts";
import type { SqliteDatabase } from "./database.ts";
import { fsck } from "./fsck.ts";
import { migrate } from "./migrate.ts";

/** Work on the file itself, which only SQLite has. */
export interface TaskContext extends IndexContext {
  readonly db: SqliteDatabase;
  readonly path: string;
}

async function checkpoint(context: TaskContext, input: { mode: "PASSIVE" | "TRUNCATE" }): Promise<void> {
  await context.db.exclusive((connection) => connection.all(`PRAGMA wal_checkpoint(${input.mode})`));
}

async function backup(context: TaskContext, input: { target: string }): Promise<void> {
  await context.db.exclusive((connection) => connection.run("VACUUM INTO ?", [input.target]));
}

async function compact(context: TaskContext, _input: object): Promise<void> {
  await context.db.exclusive((connection: SqliteConnection) => {
    connection.exec("INSERT INTO messages_fts(messages_fts) VALUES ('optimize')");
    connection.exec("VACUUM");
    connection.all("PRAGMA wal_checkpoint(TRUNCATE)");
  });
}

async function upgrade(context: TaskContext, _input: object): Promise<void> {
  await context.db.whole((connection) => migrate(connection, context));
}

export const taskTable = { backup, checkpoint, compact, fsck, "index-pending": indexPending, upgrade } as const;

type TaskTable = typeof taskTable;
export type TaskName = keyof TaskTable;
export type TaskInput<N extends TaskName> = Parameters<TaskTable[N]>[1];
export type TaskOutput<N extends TaskName> = Awaited<ReturnType<TaskTable[N]>>;

export async function performTask<N extends TaskName>(
  context: TaskContext,
  name: N,
  input: TaskInput<N>,
): Promise<TaskOutput<N>> {
  const task = taskTable[name] as (context: TaskContext, input: TaskInput<N>) => Promise<TaskOutput<N>>;
  return await task(context, input);
}
