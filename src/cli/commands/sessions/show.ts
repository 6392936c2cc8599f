import { callsOf, textOf } from "#conversation";
import { plural } from "#foundation/text/figures";
import type { StoredMessage } from "#store";
import type { Invocation } from "../../command.ts";
import { argument, flagNumber } from "../../invocation.ts";
import { snakeCase } from "../../output/json.ts";
import { Output } from "../../output/output.ts";
import { localTime } from "../../output/times.ts";
import { openRedactor } from "../../support/redactor.ts";
import { openExistingStore } from "../../support/store.ts";
import { findSession } from "./find.ts";

export async function sessionsShow(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  await using store = await openExistingStore(invocation);
  const id = await findSession(store, argument(invocation, 0));
  const record = await store?.sessions.get(id);
  const all = (await store?.messages.list(id)) ?? [];
  const most = flagNumber(invocation, "messages", { usual: 1_000_000 });
  const messages = all.slice(-most);
  const { redact, redactValue } = await openRedactor(invocation);
  const { systemPrompt: _long, ...facts } = record ?? {};
  out.document({ session: redactValue(snakeCase(facts)), messages: redactValue(messages.map(messageDocument)) });
  if (record !== undefined) {
    out.heading(record.title ?? record.id);
    out.line(`${record.id}  ${record.source}  ${record.model ?? ""}`);
    const ended =
      record.endedAtMs === undefined ? "open" : `ended ${localTime(record.endedAtMs)} (${record.endReason ?? ""})`;
    out.line(`started ${localTime(record.startedAtMs)}, ${ended}, ${plural(all.length, "message")}`);
  }
  for (const message of messages) {
    out.line();
    out.line(out.style.accent(headOf(message)));
    out.line(redact(bodyOf(message)));
  }
  return 0;
}

/** The message itself is stored under the names of the outside already. */
function messageDocument({ message, id, timestampMs }: StoredMessage): Readonly<Record<string, unknown>> {
  return { id, timestamp_ms: timestampMs, ...message };
}

function headOf({ message }: StoredMessage): string {
  return message.role === "tool" ? `tool ${message.tool_name}` : message.role;
}

function bodyOf({ message }: StoredMessage): string {
  const calls = callsOf(message).map((call) => `→ ${call.function.name} ${call.function.arguments}`);
  return [textOf(message.content), ...calls].filter((part) => part !== "").join("\n");
}
