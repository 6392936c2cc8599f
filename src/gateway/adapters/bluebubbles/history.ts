import type { InboundMessage } from "../../platform/inbound.ts";
import { type Fields, listAt } from "../support/fields.ts";
import type { Rest } from "../support/rest.ts";
import { readCall } from "./inbound.ts";

const pageSize = 500;

/** When the newest message was written, by the server's clock. */
export async function newestMessage(rest: Rest, signal: AbortSignal): Promise<number> {
  const [latest = {}] = await query(rest, { sort: "DESC", limit: 1 }, signal);
  return Number(latest["dateCreated"]) || 0;
}

/** The messages that the server keeps, oldest first. */
export async function* messagesSince(
  after: number,
  { rest, account, signal }: { readonly rest: Rest; readonly account: string; readonly signal: AbortSignal },
): AsyncGenerator<InboundMessage> {
  for (let offset = 0; ; offset += pageSize) {
    const page = await query(rest, { after, sort: "ASC", limit: pageSize, offset }, signal);
    for (const data of page) {
      const message = readCall({ type: "new-message", data }, account);
      if (message !== undefined) yield message;
    }
    if (page.length < pageSize) return;
  }
}

async function query(rest: Rest, body: Fields, signal: AbortSignal): Promise<readonly Fields[]> {
  const wanted = { ...body, with: ["chat", "handle", "attachment"] };
  return listAt(await rest("/message/query", { body: wanted, signal }), "data");
}
