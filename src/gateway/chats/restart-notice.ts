import { parseJson } from "#foundation/text/json";
import type { Store } from "#store";
import type { Replies } from "../delivery/replies.ts";
import type { InboundMessage } from "../platform/inbound.ts";
import { readInbound } from "./read-inbound.ts";

const key = "gateway.restart";

/** Who asked for a restart is told when it is done. */
export async function rememberRestart(store: Pick<Store, "meta">, message: InboundMessage): Promise<void> {
  await store.meta.set(key, JSON.stringify(message));
}

export async function greetAfterRestart({
  store,
  replies,
}: {
  readonly store: Store;
  readonly replies: Replies;
}): Promise<void> {
  const kept = await store.meta.get(key);
  if (kept === undefined) return;
  const parsed = parseJson(kept);
  const message = parsed.ok ? readInbound(parsed.value) : undefined;
  await store.transaction(async (tx) => {
    if (message !== undefined)
      await tx.outbox.owe(
        replies.notice("I am back.", { message, sessionKey: "gateway", key: `back:${message.dedupKey}` }),
      );
    await tx.meta.delete(key);
  });
}
