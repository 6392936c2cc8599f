import { once } from "node:events";
import { createWriteStream, existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import path from "node:path";
import { finished } from "node:stream/promises";
import { defined } from "#foundation/defined";
import { UserError } from "#foundation/errors";
import type { ExportedSession, Store } from "#store";
import type { Invocation } from "../../command.ts";
import { argument, flagText, hasFlag } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { openRedactor } from "../../support/redactor.ts";
import { openExistingStore } from "../../support/store.ts";
import { findSession } from "./find.ts";

/** One session per line. Credentials that got into a conversation are masked unless `--raw` asks for them. */
export async function sessionsExport(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  await using store = await openExistingStore(invocation);
  const wanted = flagText(invocation, "session-id");
  if (store === undefined && wanted !== undefined) await findSession(store, wanted);
  const { redactValue } = await openRedactor(invocation);
  const clean = hasFlag(invocation, "raw") ? (value: unknown) => value : redactValue;
  const lines = jsonLines(sessionsOf(store, wanted, invocation), clean);
  const target = argument(invocation, 0);
  if (target === "-") {
    for await (const line of lines) await out.raw(line);
    return 0;
  }
  const file = path.resolve(invocation.io.cwd, target);
  if (!existsSync(path.dirname(file)))
    throw new UserError(`There is no folder ${path.dirname(file)}.`, {
      code: "folder_missing",
      hint: "Create it first, or export to standard output with -",
    });
  const count = await writeLines(file, lines);
  out.document({ file, sessions: count });
  out.line(`Wrote ${count} ${count === 1 ? "session" : "sessions"} to ${file}`);
  return 0;
}

async function* sessionsOf(
  store: Store | undefined,
  wanted: string | undefined,
  invocation: Invocation,
): AsyncIterable<ExportedSession> {
  if (store === undefined) return;
  const { signal } = invocation.io;
  const source = flagText(invocation, "source");
  if (wanted === undefined) {
    yield* store.sessions.exportAll({ signal, ...defined({ source }) });
    return;
  }
  const session = await store.sessions.export(await findSession(store, wanted));
  if (session !== undefined) yield session;
}

async function* jsonLines(
  sessions: AsyncIterable<ExportedSession>,
  clean: (value: unknown) => unknown,
): AsyncIterable<string> {
  for await (const session of sessions) yield `${JSON.stringify(clean(session))}\n`;
}

/** Written beside its place and moved there at the end: an export is there whole or not at all. */
async function writeLines(file: string, lines: AsyncIterable<string>): Promise<number> {
  const draft = `${file}.part-${process.pid}`;
  const stream = createWriteStream(draft, { mode: 0o600 });
  let count = 0;
  try {
    for await (const line of lines) {
      if (!stream.write(line)) await once(stream, "drain");
      count += 1;
    }
    stream.end();
    await finished(stream);
    await rename(draft, file);
    return count;
  } catch (error) {
    stream.destroy();
    await rm(draft, { force: true });
    throw error;
  }
}
