import { defined } from "#foundation/defined";
import type { Fetch } from "#foundation/http/fetch";
import { isRecord, parseJson } from "#foundation/text/json";
import { classOfStatus, ServiceError } from "../support/service-error.ts";
import type { SignalStream } from "./signal-service.ts";

export interface EventStream extends SignalStream {
  readonly fetch: Fetch;
  readonly url: string;
}

const longestEvent = 16 * 1024 * 1024;
/** What may stand in a header. */
const sendableId = /^[\x21-\x7e]{1,200}$/u;

/** Reads events until the stream ends. Each is taken in before the next one is read. */
export async function readEvents(
  { fetch: send, url, lastId, opened, heard, take }: EventStream,
  signal: AbortSignal,
): Promise<void> {
  const resumed = defined({ "last-event-id": lastId });
  const answer = await send(url, { headers: { accept: "text/event-stream", ...resumed }, signal });
  if (!answer.ok || answer.body === null)
    throw new ServiceError({
      // The daemon answers so for an account that it does not have.
      errorClass: [400, 404].includes(answer.status) ? "auth" : classOfStatus(answer.status),
      message: `signal-cli gave status ${answer.status} for the account's events`,
    });
  await opened();
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of answer.body as AsyncIterable<Uint8Array>) {
    heard();
    const events = (rest + decoder.decode(chunk, { stream: true })).replaceAll("\r\n", "\n").split("\n\n");
    rest = events.pop() ?? "";
    if (rest.length > longestEvent) throw new Error("an event of signal-cli is too long");
    for (const event of events) {
      const parsed = parseJson(valuesIn(event, "data").join("\n"));
      const id = valuesIn(event, "id").at(-1);
      if (parsed.ok && isRecord(parsed.value))
        await take(parsed.value, id !== undefined && sendableId.test(id) ? id : undefined);
    }
  }
}

function valuesIn(event: string, field: "data" | "id"): readonly string[] {
  const name = `${field}:`;
  return event.split("\n").flatMap((line) => (line.startsWith(name) ? [line.slice(name.length).trimStart()] : []));
}
