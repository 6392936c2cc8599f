import { createHash } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type Config, isPlatformId } from "#config";
import type { HermesHome } from "#foundation/files/paths";
import { byteSize } from "#foundation/text/figures";
import type { NewOutboxEntry, Store } from "#store";
import { machineOf } from "../media/exchange.ts";
import type { InboundMessage, MessageSource } from "../platform/inbound.ts";
import type { Outbound } from "../platform/outbound.ts";
import type { Platform } from "../platform/platform.ts";
import { type MediaRequest, readReply } from "../text/directives.ts";
import { soundKind, speechOf } from "../voice/speech.ts";
import { type FilePolicy, filePolicyOf, judgeFile } from "./file-policy.ts";
import { type Owing, owed } from "./owed.ts";

export interface RepliesDeps {
  platform(id: string): Platform | undefined;
  filePolicy(): FilePolicy;
  /** Which parts of an answer refer to the message. */
  replyMode(platform: string): "off" | "first" | "all";
  /** `~` in paths of answers. */
  readonly userHome: string;
  /** Before every answer. */
  prefix(platform: string): string;
  /** Messages an answer may become before the whole of it goes as a file. */
  mostTexts(): number;
  /** Where files of answers lie, for a sender that may be on another machine. */
  readonly machine?: string | undefined;
  /** Keeps a text as a file; the same key gives the same one. */
  keepText(text: string, key: string): string;
}

export interface ReplyTo {
  readonly message: InboundMessage;
  readonly sessionKey: string;
  /** The same when the reply is made again. */
  readonly key: string;
  /** A message that shows the beginning of this answer already: it becomes the answer. */
  readonly liveMessageId?: string | undefined;
}

/** Replies as the configuration wants them. */
export function openReplies(deps: {
  readonly config: Config;
  readonly platforms: readonly Platform[];
  readonly store: Pick<Store, "kind">;
  readonly home: HermesHome;
  readonly userHome: string;
  readonly cwd: string;
}): Replies {
  const { config, platforms, home, userHome } = deps;
  const filePolicy = filePolicyOf(deps);
  return new Replies({
    userHome,
    platform: (id) => platforms.find((one) => one.id === id),
    filePolicy: () => filePolicy,
    machine: deps.store.kind === "postgres" ? machineOf(home) : undefined,
    replyMode: (id) => config.platforms[id]?.reply_to_mode ?? "first",
    prefix: (id) => (isPlatformId(id) ? (config[id].reply_prefix ?? "") : ""),
    mostTexts: () => config.delivery.max_parts,
    keepText: (text, key) => keepText(home.documentCache, text, key),
  });
}

/** Turns words into what is owed to a chat: texts the platform accepts, then files. */
export class Replies {
  readonly #deps: RepliesDeps;

  constructor(deps: RepliesDeps) {
    this.#deps = deps;
  }

  /** Words of Hermes itself. */
  notice(markdown: string, to: ReplyTo): readonly NewOutboxEntry[] {
    return this.#texts(markdown, to);
  }

  /** An answer of the model: what it names as files is sent as files, where the file may leave this machine. */
  answer(markdown: string, to: ReplyTo): readonly NewOutboxEntry[] {
    const platform = this.#deps.platform(answeredAt(to.message).platform);
    if (platform === undefined) return [];
    const { text, media } = readReply(markdown, { home: this.#deps.userHome, isFile: existsSync });
    const files = media.map((one) => this.#file(one, platform));
    const lines = files.flatMap((file) => (typeof file === "string" ? [file] : []));
    const words = [text, ...lines].filter((part) => part !== "").join("\n\n");
    const rows = this.#answerTexts(words === "" ? "" : `${this.#prefix(platform)}${words}`, to, platform);
    const owing = owingOf(to);
    const sent = files.flatMap((file, index) => (typeof file === "string" ? [] : [owed(file, owing, `file${index}`)]));
    return [...rows, ...sent];
  }

  /** The answer once more, to be heard; nothing where the platform takes no sound. */
  speech(markdown: string, to: ReplyTo): readonly NewOutboxEntry[] {
    const platform = this.#deps.platform(answeredAt(to.message).platform);
    if (platform === undefined || soundKind(platform.capabilities.media, true) === undefined) return [];
    const speech = speechOf(readReply(markdown, { home: this.#deps.userHome, isFile: existsSync }).text);
    return speech === undefined ? [] : [owed(speech, owingOf(to), "speech")];
  }

  #prefix({ id, hasOwnPrefix }: Platform): string {
    return hasOwnPrefix === true ? "" : this.#deps.prefix(id);
  }

  /** What would fill the chat goes as a file, after its beginning. */
  #answerTexts(markdown: string, to: ReplyTo, { capabilities }: Platform): readonly NewOutboxEntry[] {
    const rows = this.#texts(markdown, to);
    const most = this.#deps.mostTexts();
    if (rows.length <= most || capabilities.media.document === undefined) return rows;
    const file = this.#deps.keepText(markdown, to.key);
    const { machine } = this.#deps;
    const whole: Outbound = { kind: "media", media: "document", file, machine, name: "answer.md" };
    return [...rows.slice(0, Math.max(1, most - 1)), owed(whole, owingOf(to), "whole")];
  }

  #texts(markdown: string, to: ReplyTo): readonly NewOutboxEntry[] {
    const platform = this.#deps.platform(answeredAt(to.message).platform);
    if (platform === undefined || markdown.trim() === "") return [];
    const owing = owingOf(to);
    const mode = this.#deps.replyMode(platform.id);
    return platform.render(markdown).map((body, index) => {
      const { liveMessageId } = to;
      const payload: Outbound =
        index === 0 && liveMessageId !== undefined
          ? { kind: "edit", messageId: liveMessageId, body, isFinal: true }
          : { kind: "text", body, replyTo: refers(mode, index) ? to.message.messageId : undefined };
      return owed(payload, owing, String(index));
    });
  }

  /** The file as it is sent, or the line that stands in its place. */
  #file(request: MediaRequest, { capabilities }: Platform): Outbound | string {
    if (request.kind === "url") return request.caption === "" ? request.url : `${request.caption}: ${request.url}`;
    const judged = judgeFile(request.path, this.#deps.filePolicy());
    const name = path.basename(request.path);
    if (judged.kind === "refused") return `(${name} was not sent: ${judged.why}.)`;
    const media = capabilities.media[request.media] === undefined ? "document" : request.media;
    const limit = capabilities.media[media];
    if (limit === undefined) return `(${name} was not sent: this platform takes no files.)`;
    if (judged.bytes > limit) return `(${name} was not sent: it is larger than ${byteSize(limit)}.)`;
    return { kind: "media", media, file: judged.file, machine: this.#deps.machine, name };
  }
}

/** Named as files of messages are, so that it is forgotten with them. */
function keepText(folder: string, text: string, key: string): string {
  const name = `doc_${createHash("sha256").update(key).digest("hex").slice(0, 12)}_answer.md`;
  const file = path.join(folder, name);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(file, text, { mode: 0o600 });
  return file;
}

function refers(mode: "off" | "first" | "all", index: number): boolean {
  return mode === "all" || (mode === "first" && index === 0);
}

/** Where the answer to a message goes. */
function answeredAt({ source, answerTo }: InboundMessage): MessageSource {
  return answerTo ?? source;
}

function owingOf({ message, sessionKey, key }: ReplyTo): Owing {
  const { platform, account, chatId, threadId } = answeredAt(message);
  return { to: { platform, account, chatId, threadId }, sessionKey, key };
}
