import { isRecord, parseJson } from "#foundation/text/json";
import type { Attachment } from "../../platform/inbound.ts";
import { type Fields, fieldsAt, listAt, textAt } from "../support/fields.ts";

export interface FeishuContent {
  /** As Markdown; mentions stand in it as `@_user_1`. */
  readonly words: string;
  readonly attachments: readonly Attachment[];
}

export interface FeishuBody {
  readonly messageId: string;
  readonly type: string;
  /** JSON inside JSON. */
  readonly content: string;
}

/** What a message says, whatever its kind. */
export function readContent({ messageId, type, content }: FeishuBody): FeishuContent {
  const parsed = parseJson(content);
  const fields: Fields = parsed.ok && isRecord(parsed.value) ? parsed.value : {};
  const file = (kind: Attachment["kind"]): FeishuContent => ({
    words: "",
    attachments: [fileOf(messageId, kind, { key: textAt(fields, "file_key"), name: textAt(fields, "file_name") })],
  });
  switch (type) {
    case "text":
      return { words: textAt(fields, "text"), attachments: [] };
    case "post":
      return readPost(messageId, fields);
    case "image":
      return { words: "", attachments: [fileOf(messageId, "image", { key: textAt(fields, "image_key") })] };
    case "file":
      return file("document");
    case "audio":
      return file("voice");
    case "media":
      return file("video");
    case "sticker":
      return { words: "[Sticker]", attachments: [] };
    case "share_chat":
      return { words: `[Shared chat ${textAt(fields, "chat_id")}]`, attachments: [] };
    case "share_user":
      return { words: `[Shared contact ${textAt(fields, "user_id")}]`, attachments: [] };
    case "interactive":
      return { words: textsIn(fields).join("\n"), attachments: [] };
    default:
      return { words: `[Message of the kind ${type}, which cannot be read]`, attachments: [] };
  }
}

function fileOf(
  messageId: string,
  kind: Attachment["kind"],
  { key, name = "" }: { readonly key: string; readonly name?: string },
): Attachment {
  return {
    kind,
    ref: { messageId, key, type: kind === "image" ? "image" : "file" },
    name: name || undefined,
  };
}

/** Rich text may come as it is or in one of several languages. */
function readPost(messageId: string, fields: Fields): FeishuContent {
  const post = Array.isArray(fields["content"]) ? fields : (Object.values(fields).find(isRecord) ?? {});
  const attachments: Attachment[] = [];
  const lines = (Array.isArray(post["content"]) ? post["content"] : []).filter(Array.isArray).map((line) =>
    line
      .filter(isRecord)
      .map((run) => {
        const tag = textAt(run, "tag");
        if (tag === "img") attachments.push(fileOf(messageId, "image", { key: textAt(run, "image_key") }));
        if (tag === "media") attachments.push(fileOf(messageId, "video", { key: textAt(run, "file_key") }));
        return markdownOf(tag, run);
      })
      .join(""),
  );
  const title = textAt(post, "title");
  return { words: [...(title === "" ? [] : [`# ${title}`]), ...lines].join("\n").trim(), attachments };
}

function markdownOf(tag: string, run: Fields): string {
  const text = textAt(run, "text");
  if (tag === "a") return `[${text}](${textAt(run, "href")})`;
  if (tag === "at") return textAt(run, "user_id");
  if (tag === "emotion") return `:${textAt(run, "emoji_type")}:`;
  if (tag === "code_block") return `\n\`\`\`${textAt(run, "language").toLowerCase()}\n${text}\n\`\`\`\n`;
  if (tag === "hr") return "\n---\n";
  const style = Array.isArray(run["style"]) ? run["style"] : [];
  const bold = style.includes("bold") ? `**${text}**` : text;
  const slanted = style.includes("italic") ? `*${bold}*` : bold;
  return style.includes("lineThrough") ? `~~${slanted}~~` : slanted;
}

const deepest = 8;

/** The words of a card, in the order they stand in it. */
function textsIn(value: unknown, depth = 0): readonly string[] {
  if (depth > deepest) return [];
  if (Array.isArray(value)) return value.flatMap((one) => textsIn(one, depth + 1));
  if (!isRecord(value)) return [];
  const own = [textAt(value, "text"), textAt(value, "content")].filter((text) => text !== "");
  return [...own, ...Object.values(value).flatMap((one) => (typeof one === "object" ? textsIn(one, depth + 1) : []))];
}

/** Mentions by the names people know; without the one of the bot. */
export function withNames(words: string, mentions: readonly Fields[], isSelf: (id: Fields) => boolean): string {
  let text = words;
  for (const mention of mentions) {
    const key = textAt(mention, "key");
    if (key === "") continue;
    const name = isSelf(fieldsAt(mention, "id")) ? "" : `@${textAt(mention, "name")}`;
    // `@_user_1` must not eat the beginning of `@_user_10`.
    text = text.replaceAll(new RegExp(`${key.replaceAll(/[^\w@]/gu, "")}(?!\\d)`, "gu"), () => name);
  }
  return text.trim();
}

/** Messages that were forwarded together, as the service lists them: the first is the bundle itself. */
export function forwardedWords(items: readonly Fields[]): string {
  const lines = items.slice(1).map((item) => {
    const content = textAt(fieldsAt(item, "body"), "content");
    const { words } = readContent({ messageId: "", type: textAt(item, "msg_type"), content });
    return words === "" ? "[File]" : withNames(words, listAt(item, "mentions"), () => false);
  });
  return ["[Forwarded messages]", ...lines].join("\n");
}
