import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Outbound } from "../../platform/outbound.ts";
import { type Fields, textAt } from "../support/fields.ts";
import type { WecomRequests } from "./requests.ts";

const chunkSize = 512 * 1024;
const mostChunks = 100;
const megabyte = 1024 * 1024;

type Media = Extract<Outbound, { readonly kind: "media" }>;

export interface UploadedFile {
  readonly content: Fields;
  /** Why it comes as a file though it is a picture, a video or a voice. */
  readonly note: string | undefined;
}

/** Uploads a file over the socket, in numbered pieces; gives the message that shows it. */
export async function uploadFile(message: Media, requests: WecomRequests, signal: AbortSignal): Promise<UploadedFile> {
  const bytes = await readFile(message.file, { signal });
  const { type, note } = kindFor(message, bytes);
  const count = Math.ceil(bytes.length / chunkSize);
  if (count > mostChunks) throw new Error("the file is too large for WeCom");
  const ask = async (cmd: string, body: Fields): Promise<Fields> =>
    await requests.ask({ cmd, id: requests.nextId(cmd), body }, signal);
  const begun = await ask("aibot_upload_media_init", {
    type,
    filename: path.basename(message.name),
    total_size: bytes.length,
    total_chunks: count,
    md5: createHash("md5").update(bytes).digest("hex"),
  });
  const upload = textAt(begun, "upload_id");
  for (let index = 0; index < count; index += 1) {
    const piece = bytes.subarray(index * chunkSize, (index + 1) * chunkSize);
    const body = { upload_id: upload, chunk_index: index, base64_data: piece.toString("base64") };
    await ask("aibot_upload_media_chunk", body);
  }
  const ended = await ask("aibot_upload_media_finish", { upload_id: upload });
  return { content: { msgtype: type, [type]: { media_id: textAt(ended, "media_id") } }, note };
}

function kindFor({ media, name }: Media, bytes: Buffer): { readonly type: string; readonly note: string | undefined } {
  if (media === "image" || media === "video") {
    if (bytes.length <= 10 * megabyte) return { type: media, note: undefined };
    return { type: "file", note: `${name} comes as a file: WeCom shows ${media}s up to 10 MB.` };
  }
  if (media === "voice" || media === "audio") {
    const isAmr = bytes.subarray(0, 5).toString("latin1") === "#!AMR";
    if (isAmr && bytes.length <= 2 * megabyte) return { type: "voice", note: undefined };
    return { type: "file", note: `${name} comes as a file: WeCom plays voices in AMR up to 2 MB.` };
  }
  return { type: "file", note: undefined };
}
