import type { Fetch } from "#foundation/http/fetch";
import type { Destination } from "../../platform/outbound.ts";
import { type Fields, textAt } from "../support/fields.ts";
import { readEvents } from "./event-stream.ts";
import { signalRpc } from "./rpc.ts";
import { groupIn, type SignalService } from "./signal-service.ts";

/** signal-cli's own daemon: its event stream, and JSON-RPC for everything else. */
export function signalDaemon(send: Fetch, root: string, account: string): SignalService {
  const rpc = signalRpc(send, root);
  return {
    async listen(stream, signal) {
      const url = `${root}/api/v1/events?account=${encodeURIComponent(account)}`;
      await readEvents({ ...stream, fetch: send, url }, signal);
      return "the stream ended";
    },
    async send(to, { text, file }, signal) {
      const attachments = file === undefined ? {} : { attachments: [file.path] };
      const answer = await rpc("send", { account, ...receiver(to), message: text, ...attachments }, signal);
      return textAt(answer, "timestamp");
    },
    async typing(to, signal) {
      await rpc("sendTyping", { account, ...receiver(to) }, signal);
    },
    async react(to, { messageId, emoji, isAdded }, signal) {
      const about = { targetAuthor: to.chatId, targetTimestamp: Number(messageId), emoji, remove: !isAdded };
      await rpc("sendReaction", { account, ...receiver(to), ...about }, signal);
    },
    async attachment(ref, signal) {
      const answer = await rpc("getAttachment", { account, ...ref }, signal);
      const bytes = Buffer.from(textAt(answer, "data") || textAt(answer, "result"), "base64");
      return (async function* () {
        yield await Promise.resolve(bytes);
      })();
    },
  };
}

function receiver({ chatId }: Destination): Fields {
  const groupId = groupIn(chatId);
  return groupId === undefined ? { recipient: [chatId] } : { groupId };
}
