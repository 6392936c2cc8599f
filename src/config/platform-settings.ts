import type { Secret } from "#foundation/secrets/secret";
import type { Config } from "./config.ts";
import type { PlatformId } from "./platform-id.ts";

/** Everything set for one platform, from its connection and its block. */
export interface PlatformSettings<Id extends PlatformId = PlatformId> {
  readonly id: Id;
  /** Undefined leaves the decision to whether credentials are there. */
  readonly enabled: boolean | undefined;
  readonly token: Secret | undefined;
  readonly apiKey: Secret | undefined;
  readonly replyToMode: "off" | "first" | "all";
  readonly homeChannel: { readonly chatId: string; readonly name: string; readonly threadId: string } | undefined;
  readonly block: Config[Id];
  /** Values of the connection that the block does not know. */
  readonly extra: Readonly<Record<string, unknown>>;
}

export function platformSettings<Id extends PlatformId>(config: Config, id: Id): PlatformSettings<Id> {
  const connection = config.platforms[id];
  const block = config[id];
  const home = connection?.home_channel;
  const [chatId, threadId] =
    block.home_channel === "" ? [home?.chat_id ?? "", home?.thread_id ?? ""] : [block.home_channel, ""];
  return {
    id,
    enabled: connection?.enabled,
    token: present(connection?.token),
    apiKey: present(connection?.api_key),
    replyToMode: connection?.reply_to_mode ?? "first",
    homeChannel: chatId === "" ? undefined : { chatId, name: home?.name ?? "", threadId },
    block,
    extra: connection?.extra ?? {},
  };
}

const present = (secret: Secret | undefined): Secret | undefined =>
  secret === undefined || secret.isEmpty ? undefined : secret;
