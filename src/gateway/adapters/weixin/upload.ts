import { createHash, randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Outbound } from "../../platform/outbound.ts";
import { type Fields, textAt } from "../support/fields.ts";
import { classOfStatus, ServiceError } from "../support/service-error.ts";
import { encrypted, writtenKey } from "./crypto.ts";
import type { WeixinWays } from "./send.ts";

type Media = Extract<Outbound, { readonly kind: "media" }>;

/** Puts a file where Weixin takes it from, encrypted with a fresh key; gives the item that shows it. */
export async function uploadFile(
  message: Media,
  {
    api,
    ports,
    chatId,
    signal,
  }: Pick<WeixinWays, "api" | "ports"> & { readonly chatId: string; readonly signal: AbortSignal },
): Promise<Fields> {
  const bytes = await readFile(message.file, { signal });
  const key = randomBytes(16);
  const sealed = encrypted(bytes, key);
  const filekey = randomBytes(16).toString("hex");
  const isImage = message.media === "image" || message.media === "animation";
  const isVideo = message.media === "video";
  const granted = await api.call(
    "getuploadurl",
    {
      filekey,
      media_type: isImage ? 1 : isVideo ? 2 : 3,
      to_user_id: chatId,
      rawsize: bytes.length,
      rawfilemd5: createHash("md5").update(bytes).digest("hex"),
      filesize: sealed.length,
      no_need_thumb: true,
      aeskey: key.toString("hex"),
    },
    signal,
  );
  const query = new URLSearchParams({ encrypted_query_param: textAt(granted, "upload_param"), filekey });
  const answer = await ports.fetch(`${ports.config.weixin.cdn_base_url}/upload?${query}`, {
    method: "POST",
    body: new Uint8Array(sealed),
    headers: { "content-type": "application/octet-stream" },
    signal,
  });
  await answer.body?.cancel();
  const param = answer.headers.get("x-encrypted-param");
  if (!answer.ok || param === null)
    throw new ServiceError({
      errorClass: classOfStatus(answer.status),
      message: `Weixin did not take the file: status ${answer.status}`,
    });
  const media = { encrypt_query_param: param, aes_key: writtenKey(key), encrypt_type: 1 };
  if (isImage) return { type: 2, image_item: { media, mid_size: sealed.length } };
  if (isVideo) return { type: 5, video_item: { media, video_size: sealed.length } };
  return { type: 4, file_item: { media, file_name: path.basename(message.name), len: String(bytes.length) } };
}
