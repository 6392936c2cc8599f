import type { Deliverer } from "#cron";
import type { Replies } from "../delivery/replies.ts";
import { resolveTarget, type TargetDeps } from "./target.ts";

/** Turns what nobody asked for in a chat (the answer of a job) into what is owed there. */
export function answerDeliverer(deps: TargetDeps & { readonly replies: Replies }): Deliverer {
  return {
    async rows(target, { text, key }) {
      const source = await resolveTarget(target, deps);
      if (typeof source === "string") return source;
      const message = { source, text: "", dedupKey: key, atMs: 0, attachments: [] };
      const sessionKey = `delivery:${source.platform}:${source.chatId}`;
      const rows = deps.replies.answer(text, { message, sessionKey, key });
      return rows.length === 0 ? "There was nothing to deliver." : rows;
    },
  };
}
