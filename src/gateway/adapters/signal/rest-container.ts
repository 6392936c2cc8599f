import { readFile } from "node:fs/promises";
import { sniff } from "../../media/sniff.ts";
import type { Destination } from "../../platform/outbound.ts";
import type { ConnectionPorts } from "../../platform/platform.ts";
import { textAt } from "../support/fields.ts";
import { openFile } from "../support/media.ts";
import { type Rest, restOver } from "../support/rest.ts";
import { ServiceError } from "../support/service-error.ts";
import { listenTo } from "../support/socket.ts";
import { withoutNumbers } from "./rpc.ts";
import { groupIn, type SignalContent, type SignalService } from "./signal-service.ts";

const label = "signal-cli-rest-api";

/** The container signal-cli-rest-api in the mode json-rpc: a socket that tells what comes, and calls for everything else. */
export function signalContainer(ports: ConnectionPorts, root: string, account: string): SignalService {
  const rest = restOver({
    label,
    root,
    fetch: ports.fetch,
    refusal: (body, status) => (status < 400 ? undefined : { message: withoutNumbers(textAt(body, "error")) }),
  });
  const number = encodeURIComponent(account);
  return {
    async listen({ opened, heard, take }, signal) {
      await assertKnown(rest, account, signal);
      const { reason } = await listenTo(
        {
          ports,
          url: `${root.replace(/^http/u, "ws")}/v1/receive/${number}`,
          alive: heard,
          opened: (line) =>
            void Promise.resolve(opened()).catch((error: unknown) =>
              line.end(error instanceof Error ? error.message : String(error)),
            ),
          take: (frame) => take(frame, undefined),
        },
        signal,
      );
      return reason;
    },
    async send(to, content, signal) {
      const body = { number: account, recipients: [receiver(to)], ...(await bodyOf(content)) };
      return textAt(await rest("/v2/send", { body, signal }), "timestamp");
    },
    async typing(to, signal) {
      await rest(`/v1/typing-indicator/${number}`, { method: "PUT", body: { recipient: receiver(to) }, signal });
    },
    async react(to, { messageId, emoji, isAdded }, signal) {
      const about = { reaction: emoji, target_author: to.chatId, timestamp: Number(messageId) };
      const method = isAdded ? "POST" : "DELETE";
      await rest(`/v1/reactions/${number}`, { method, body: { recipient: receiver(to), ...about }, signal });
    },
    attachment: ({ id = "" }, signal) =>
      openFile(ports.fetch, { label, url: `${root}/v1/attachments/${encodeURIComponent(id)}` }, signal),
  };
}

/** The socket of an account that is not there opens and stays silent. */
async function assertKnown(rest: Rest, account: string, signal: AbortSignal): Promise<void> {
  const { items } = await rest("/v1/accounts", { signal });
  if (Array.isArray(items) && items.includes(account)) return;
  throw new ServiceError({ errorClass: "auth", message: `${label} has no such account` });
}

async function bodyOf({ text, file }: SignalContent): Promise<Readonly<Record<string, unknown>>> {
  if (file === undefined) return { message: text };
  const bytes = await readFile(file.path);
  const kind = sniff(bytes)?.mimeType ?? "application/octet-stream";
  const name = file.name.replaceAll(/[;,/\\\p{Cc}]/gu, "_");
  return { message: text, base64_attachments: [`data:${kind};filename=${name};base64,${bytes.toString("base64")}`] };
}

/** The container names groups by their id, written once more in base64. */
function receiver({ chatId }: Destination): string {
  const groupId = groupIn(chatId);
  return groupId === undefined ? chatId : `group.${Buffer.from(groupId).toString("base64")}`;
}
