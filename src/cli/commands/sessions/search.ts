import type { Invocation } from "../../command.ts";
import { flagNumber, flagText } from "../../invocation.ts";
import { snakeCase } from "../../output/json.ts";
import { Output } from "../../output/output.ts";
import { oneLine } from "../../output/table.ts";
import { localTime } from "../../output/times.ts";
import { openRedactor } from "../../support/redactor.ts";
import { openExistingStore } from "../../support/store.ts";

export async function sessionsSearch(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const query = invocation.args.join(" ");
  const limit = flagNumber(invocation, "limit", { usual: 20 });
  const source = flagText(invocation, "source");
  await using store = await openExistingStore(invocation);
  const options = { limit, signal: invocation.io.signal, ...(source === undefined ? {} : { sources: [source] }) };
  const hits = (await store?.search.messages(query, options)) ?? [];
  const { redactValue, redact } = await openRedactor(invocation);
  out.document({ query, hits: redactValue(snakeCase(hits)) });
  if (hits.length === 0) out.line(`Nothing found for "${query}".`);
  for (const hit of hits) {
    out.line(`${out.style.accent(hit.sessionId)}  ${localTime(hit.timestampMs)}  ${hit.role}`);
    out.line(`  ${oneLine(redact(hit.snippet)).replace(/>>>(.*?)<<</g, (_, found: string) => out.style.bold(found))}`);
  }
  return 0;
}
