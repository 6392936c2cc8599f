import { byteSize } from "#foundation/text/figures";
import type { Invocation } from "../../command.ts";
import { snakeCase } from "../../output/json.ts";
import { Output } from "../../output/output.ts";
import { openExistingStore } from "../../support/store.ts";

export async function sessionsStats(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  await using store = await openExistingStore(invocation);
  const empty = { sessions: 0, messages: 0, openSessions: 0, bySource: [], sizeBytes: 0 };
  const statistics = (await store?.reports.statistics({ signal: invocation.io.signal })) ?? empty;
  out.document(snakeCase(statistics) as Readonly<Record<string, unknown>>);
  const { sessions, messages, openSessions, bySource, sizeBytes } = statistics;
  out.line(`Sessions  ${sessions} (${openSessions} open)`);
  out.line(`Messages  ${messages}`);
  if (sizeBytes !== undefined) out.line(`Database  ${byteSize(sizeBytes)}`);
  if (bySource.length === 0) return 0;
  out.line();
  out.table(
    [{ title: "Surface" }, { title: "Sessions", align: "right" }, { title: "Messages", align: "right" }],
    bySource.map((row) => [row.source, String(row.sessions), String(row.messages)]),
  );
  return 0;
}
