import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, open, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { describe } from "#foundation/errors";
import { readTextFile } from "#foundation/files/files";
import type { Logger } from "#foundation/files/logger";
import type { HermesHome } from "#foundation/files/paths";
import { timeLimit } from "#foundation/lifecycle/abort";
import { byteSize } from "#foundation/text/figures";
import type { Attachment, InboundMessage } from "../platform/inbound.ts";
import type { Connection } from "../platform/platform.ts";
import type { MediaExchange } from "./exchange.ts";
import { cacheOf, isImage, sniff } from "./sniff.ts";

export type MediaFolders = Readonly<Record<"image" | "audio" | "video" | "document", string>>;

/** Where the files that come with messages are kept. */
export function mediaFolders(home: HermesHome): MediaFolders {
  return {
    image: home.imageCache,
    audio: home.audioCache,
    video: home.at("cache", "videos"),
    document: home.documentCache,
  };
}

export interface IncomingDeps {
  /** The connection an account's files are fetched through; undefined when this process has none. */
  connection(platform: string, account: string): Connection | undefined;
  /** Brings what another process can fetch; undefined where there is no other. */
  readonly exchange?: MediaExchange | undefined;
  readonly folders: MediaFolders;
  readonly maxBytes: number;
  /** Speech as text; undefined where nothing is set up for it. */
  readonly transcribe?: ((file: string, signal: AbortSignal) => Promise<string>) | undefined;
  readonly logger: Logger;
}

/** What a message says to the model, with what came along. */
export interface Enriched {
  readonly text: string;
  readonly images: readonly string[];
}

const fetchMs = 60_000;
const longestInline = 100 * 1024;
const longestQuote = 500;
const textual = new Set([".md", ".txt", ".log", ".csv", ".json", ".yaml", ".yml", ".xml", ".html"]);

/** Fetches what came with a message and says in words what became of it. A failure is a note, never a lost message. */
export async function enrich(message: InboundMessage, deps: IncomingDeps, signal: AbortSignal): Promise<Enriched> {
  const images: string[] = [];
  const before: string[] = [];
  const notes: string[] = [];
  for (const [index, attachment] of message.attachments.entries()) {
    const name = attachment.name ?? attachment.kind;
    try {
      const file = await fetched(message, index, { attachment, deps, signal });
      const about = await introduce(file, attachment, { deps, signal });
      if (about.image !== undefined) images.push(about.image);
      before.push(...(about.before ?? []));
      notes.push(...(about.notes ?? []));
    } catch (error) {
      deps.logger.warn("an attachment could not be fetched", { name: attachment.kind, error: describe(error) });
      notes.push(`[The ${attachment.kind} ${name} could not be fetched: ${describe(error)}]`);
    }
  }
  const quoted = message.replyTo?.text;
  const quote = quoted === undefined || quoted === "" ? [] : [`[Replying to: "${quoted.slice(0, longestQuote)}"]`];
  const text = [...quote, ...before, message.text, ...notes].filter((part) => part !== "").join("\n\n");
  return { text, images };
}

interface Introduction {
  readonly image?: string;
  readonly before?: readonly string[];
  readonly notes?: readonly string[];
}

async function introduce(
  file: string,
  attachment: Attachment,
  { deps, signal }: { readonly deps: IncomingDeps; readonly signal: AbortSignal },
): Promise<Introduction> {
  const { kind } = attachment;
  const type = sniff(await headOf(file));
  if (kind === "image" || kind === "sticker" || (kind === "document" && isImage(type?.mimeType))) {
    if (!isImage(type?.mimeType)) throw new Error("its bytes are no image");
    return { image: file, notes: [`[Image saved as ${file}]`] };
  }
  if (kind === "voice" || kind === "audio") {
    if (deps.transcribe === undefined)
      return { notes: [`[Voice message saved as ${file}. Speech to text is not set up, so its words are not known.]`] };
    const words = (await deps.transcribe(file, signal)).trim();
    return { before: [words === "" ? "[Voice message without words]" : `[Voice message] ${words}`] };
  }
  const name = attachment.name ?? path.basename(file);
  const { size } = await stat(file);
  if (textual.has(path.extname(name).toLowerCase()) && size <= longestInline) {
    const text = await readTextFile(file, { maxBytes: longestInline });
    if (text !== undefined) return { before: [`[File ${name}, saved as ${file}]\n${text}`] };
  }
  return { notes: [`[The ${kind} ${name} (${byteSize(size)}) was saved as ${file}]`] };
}

/** Part of the name of the file that an attachment becomes. */
export function mediaId({ dedupKey }: Pick<InboundMessage, "dedupKey">, index: number): string {
  return createHash("sha256").update(`${dedupKey}:${index}`).digest("hex").slice(0, 12);
}

/** The file in the cache. Its name follows from the message, so that it is fetched once. */
async function fetched(
  message: InboundMessage,
  index: number,
  {
    attachment,
    deps,
    signal,
  }: { readonly attachment: Attachment; readonly deps: IncomingDeps; readonly signal: AbortSignal },
): Promise<string> {
  const { folder, prefix } = cacheOf(attachment.kind);
  const id = mediaId(message, index);
  const name = safeName(attachment.name ?? "");
  const ending = name === "" ? `.${(attachment.mimeType ?? "").split("/")[1] ?? "bin"}` : path.extname(name);
  const file = path.join(
    deps.folders[folder],
    prefix === "doc" ? `doc_${id}_${name || "file"}` : `${prefix}_${id}${ending}`,
  );
  if ((await stat(file).catch(() => undefined))?.isFile() === true) return file;
  if ((attachment.bytes ?? 0) > deps.maxBytes) throw new Error(`it is larger than ${byteSize(deps.maxBytes)}`);
  const within = timeLimit(fetchMs, signal);
  await mkdir(deps.folders[folder], { recursive: true });
  const partial = `${file}.part`;
  try {
    const bytes = await bytesOf(message, { attachment, name: id }, { deps, within });
    await pipeline(Readable.from(bytes), atMost(deps.maxBytes), createWriteStream(partial, { mode: 0o600 }), {
      signal: within,
    });
    await rename(partial, file);
    return file;
  } finally {
    await rm(partial, { force: true });
  }
}

/** Through the connection of this process, or of another one that has it. */
async function bytesOf(
  { source: { platform, account } }: InboundMessage,
  { attachment, name }: { readonly attachment: Attachment; readonly name: string },
  { deps, within }: { readonly deps: IncomingDeps; readonly within: AbortSignal },
): Promise<AsyncIterable<Uint8Array>> {
  const connection = deps.connection(platform, account);
  if (connection?.fetchAttachment !== undefined) return await connection.fetchAttachment(attachment, within);
  if (connection !== undefined || deps.exchange === undefined) throw new Error("the platform is not connected");
  return deps.exchange.bring(name, { kind: "attachment", platform, account, attachment }, within);
}

function atMost(maxBytes: number): Transform {
  let count = 0;
  return new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      count += chunk.byteLength;
      if (count > maxBytes) done(new Error(`it is larger than ${byteSize(maxBytes)}`));
      else done(null, chunk);
    },
  });
}

/** Without folders and what terminals and file systems stumble over. */
function safeName(name: string): string {
  return path
    .basename(name.replaceAll("\\", "/"))
    .replaceAll(/[^\p{L}\p{N}._ -]/gu, "")
    .replace(/^\.+/u, "")
    .slice(-100);
}

async function headOf(file: string): Promise<Uint8Array> {
  await using handle = await open(file);
  const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(16), length: 16, position: 0 });
  return buffer.subarray(0, bytesRead);
}
