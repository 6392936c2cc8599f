import type { Fetch } from "#foundation/http/fetch";
import { isRecord, parseJson } from "#foundation/text/json";
import type { Fields } from "../support/fields.ts";
import { classOfStatus, ServiceError } from "../support/service-error.ts";

export interface EventStream {
  readonly fetch: Fetch;
  readonly url: string;
  opened(): void;
  /** Something came, if only a sign of life. */
  heard(): void;
  take(event: Fields): Promise<void>;
}

const longestEvent = 16 * 1024 * 1024;

/** Reads events until the stream ends. Each is taken in before the next one is read. */
export async function readEvents(
  { fetch: send, url, opened, heard, take }: EventStream,
  signal: AbortSignal,
): Promise<void> {
  const answer = await send(url, { headers: { accept: "text/event-stream" }, signal });
  if (!answer.ok || answer.body === null)
    throw new ServiceError({
      // The daemon answers so for an account that it does not have.
      errorClass: [400, 404].includes(answer.status) ? "auth" : classOfStatus(answer.status),
      message: `signal-cli gave status ${answer.status} for the account's events`,
    });
  opened();
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of answer.body as AsyncIterable<Uint8Array>) {
    heard();
    const events = (rest + decoder.decode(chunk, { stream: true })).replaceAll("\r\n", "\n").split("\n\n");
    rest = events.pop() ?? "";
    if (rest.length > longestEvent) throw new Error("an event of signal-cli is too long");
    for (const event of events) {
      const data = event.split("\n").flatMap((line) => (line.startsWith("data:") ? [line.slice(5).trimStart()] : []));
      const parsed = parseJson(data.join("\n"));
      if (parsed.ok && isRecord(parsed.value)) await take(parsed.value);
    }
  }
}
