import type { InboundMessage } from "../../platform/inbound.ts";

/** The flat XML of WeCom. What declares a document type is refused whole, so there are no entities to resolve. */
export function readXml(xml: string): ReadonlyMap<string, string> | undefined {
  if (/<!(?:DOCTYPE|ENTITY)/iu.test(xml) || !/^\s*(?:<\?xml[^>]*\?>\s*)?<xml>/u.test(xml)) return undefined;
  const fields = new Map<string, string>();
  for (const [, name = "", raw, text = ""] of xml.matchAll(
    /<(\w+)>\s*(?:<!\[CDATA\[([\s\S]*?)\]\]>|([^<]*))\s*<\/\1>/gu,
  ))
    fields.set(name, raw ?? unescaped(text.trim()));
  return fields;
}

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

function unescaped(text: string): string {
  return text.replaceAll(/&(lt|gt|amp|quot|apos);/gu, (_, name: string) => entities[name] ?? "");
}

/** Words of a person; undefined for events and for kinds that are not read. */
export function readMessage(fields: ReadonlyMap<string, string>, account: string): InboundMessage | undefined {
  const at = (name: string): string => fields.get(name) ?? "";
  const [corp, user, id] = [at("ToUserName"), at("FromUserName"), at("MsgId")];
  if (at("MsgType") !== "text" || user === "" || id === "") return undefined;
  return {
    source: {
      platform: "wecom_callback",
      account,
      chatId: `${corp}:${user}`,
      chatType: "dm",
      userId: user,
      guildId: corp,
    },
    text: at("Content").trim(),
    messageId: id,
    dedupKey: `wecom_callback:${corp}:${id}`,
    atMs: Number(at("CreateTime")) * 1000 || 0,
    attachments: [],
  };
}
