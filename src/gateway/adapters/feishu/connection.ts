import type { Connection, ConnectionError, ConnectionPorts } from "../../platform/platform.ts";
import { fieldsAt, textAt } from "../support/fields.ts";
import { openLine } from "../support/line.ts";
import { openFile } from "../support/media.ts";
import { connectionErrorOf, missingSetting, type Service } from "../support/service-error.ts";
import { feishuApi } from "./api.ts";
import { FeishuEvents } from "./events.ts";
import type { FeishuRules } from "./inbound.ts";
import { stayConnected } from "./long-connection.ts";
import { sendToFeishu } from "./send.ts";
import { listenForFeishu } from "./webhook.ts";

const service: Service = { id: "feishu", label: "Feishu" };
const waitsMs = [1_000, 5_000, 15_000, 30_000, 60_000];

/** Connects an app: events come over a long connection, or as calls to an address of ours. */
export async function connectFeishu(ports: ConnectionPorts, signal: AbortSignal): Promise<Connection> {
  const { feishu } = ports.config;
  if (feishu.app_id === "") throw missingSetting(service, "FEISHU_APP_ID");
  const api = feishuApi(ports);
  const info = await api.rest("/bot/v3/info", { signal }).catch((error: unknown) => {
    throw connectionErrorOf(service, error);
  });
  const bot = fieldsAt(info, "bot");
  const rules: FeishuRules = {
    settings: feishu,
    appId: feishu.app_id,
    own: [textAt(bot, "open_id"), feishu.bot_open_id, feishu.bot_user_id].filter((id) => id !== ""),
    mentionPatterns: feishu.mention_patterns.map((pattern) => new RegExp(pattern, "iu")),
  };
  const events = new FeishuEvents({ ports, api, rules });
  const { lost, close } =
    feishu.connection_mode === "webhook"
      ? called(await listenForFeishu(service, ports, events))
      : await onLine(ports, (ready, within) => stayConnected({ ports, api, events }, ready, within));
  return {
    account: { id: feishu.app_id, name: textAt(bot, "app_name") || feishu.bot_name || feishu.app_id },
    lost,
    send: (to, message, context) => sendToFeishu(to, message, { ...context, api }),
    remove: async (_to, id, within) =>
      void (await api.rest(`/im/v1/messages/${encodeURIComponent(id)}`, { method: "DELETE", signal: within })),
    async fetchAttachment({ ref }, within) {
      const [message, key] = [ref["messageId"] ?? "", ref["key"] ?? ""].map(encodeURIComponent);
      const url = `${api.root}/open-apis/im/v1/messages/${message}/resources/${key}?type=${ref["type"] ?? "file"}`;
      const headers = await api.authorization(within);
      return await openFile(ports.fetch, { label: service.label, url, headers }, within);
    },
    [Symbol.asyncDispose]: close,
  };
}

interface Way {
  readonly lost: Promise<ConnectionError>;
  close(): Promise<void>;
}

function called(listening: AsyncDisposable): Way {
  return {
    lost: new Promise<ConnectionError>(() => undefined),
    close: async () => await listening[Symbol.asyncDispose](),
  };
}

async function onLine(
  ports: ConnectionPorts,
  stay: (ready: () => void, signal: AbortSignal) => Promise<string>,
): Promise<Way> {
  const line = openLine({ service, ports, waitsMs, stay });
  await line.ready;
  return { lost: line.lost, close: async () => await line[Symbol.asyncDispose]() };
}
