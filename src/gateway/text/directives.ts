import path from "node:path";
import type { MediaKind } from "../platform/inbound.ts";

/** A file or address that an answer asks to be sent, and how. */
export type MediaRequest =
  | { readonly kind: "file"; readonly path: string; readonly media: MediaKind }
  | { readonly kind: "url"; readonly url: string; readonly media: "image" | "animation"; readonly caption: string };

export interface Reply {
  /** What is shown. */
  readonly text: string;
  readonly media: readonly MediaRequest[];
}

export interface ReadReplyOptions {
  readonly home: string;
  /** Paths that stand in the text without `MEDIA:` are sent when a file is there. */
  isFile(path: string): boolean;
}

const kinds: Readonly<Record<string, MediaKind>> = {
  ...Object.fromEntries([".ogg", ".opus", ".mp3", ".wav", ".m4a"].map((end) => [end, "audio" as const])),
  ...Object.fromEntries([".mp4", ".mov", ".avi", ".mkv", ".webm", ".3gp"].map((end) => [end, "video" as const])),
  ...Object.fromEntries([".jpg", ".jpeg", ".png", ".webp"].map((end) => [end, "image" as const])),
  ".gif": "animation",
};
const known = [
  ...Object.keys(kinds),
  ".pdf",
  ".md",
  ".txt",
  ".log",
  ".zip",
  ".docx",
  ".xlsx",
  ".pptx",
  ".csv",
  ".json",
];
const ends = known.map((end) => end.slice(1)).join("|");

const voiceMark = /\[\[audio_as_voice\]\]/gu;
/** Quoted; or up to a known ending, spaces included; or up to a space. */
const directive = new RegExp(
  `MEDIA:[ \\t]?(?:"([^"\\n]+)"|'([^'\\n]+)'|\`([^\`\\n]+)\`|((?:~/|/)(?:(?!MEDIA:)[^\\n]){0,512}?\\.(?:${ends}))(?![\\w.])|((?:~/|/)\\S+))`,
  "giu",
);
const image =
  /!\[([^\]\n]{0,500})\]\((https?:\/\/[^)\s]{1,2000})\)|<img\s[^>]{0,500}?src=["'](https?:\/\/[^"'\s]{1,2000})["'][^>]{0,500}>/giu;
const barePath = new RegExp(`(^|[\\s(])((?:~/|/)[^\\s\`"'<>()]{1,512}\\.(?:${ends}))(?=$|[\\s),.;:!?])`, "gimu");
const imageAddress = /\.(?:jpe?g|png|webp|gif)(?:$|[?#])/iu;

/** Splits an answer into what is shown and what is sent as files. Code keeps what looks like a directive. */
export function readReply(answer: string, options: ReadReplyOptions): Reply {
  const asVoice = voiceMark.test(answer);
  voiceMark.lastIndex = 0;
  const media: MediaRequest[] = [];
  const addFile = (named: string): void => {
    const file = named.startsWith("~/") ? path.join(options.home, named.slice(2)) : named;
    if (media.some((one) => one.kind === "file" && one.path === file)) return;
    media.push({ kind: "file", path: file, media: kindOf(file, asVoice) });
  };
  const text = outsideCode(answer.replaceAll(voiceMark, ""), (words) =>
    words
      .replaceAll(directive, (_all, ...names: (string | undefined)[]) => {
        const named = names.slice(0, 5).find((name) => typeof name === "string");
        if (named !== undefined) addFile(named);
        return "";
      })
      .replaceAll(image, (all: string, ...found: (string | undefined)[]) => {
        const [caption = "", url, source] = found;
        const address = url ?? source ?? "";
        if (!imageAddress.test(address)) return all;
        const isMoving = /\.gif(?:$|[?#])/iu.test(address);
        media.push({ kind: "url", url: address, media: isMoving ? "animation" : "image", caption });
        return "";
      })
      .replaceAll(barePath, (all: string, before: string, named: string) => {
        const file = named.startsWith("~/") ? path.join(options.home, named.slice(2)) : named;
        if (!["image", "video", "animation"].includes(kindOf(file, false)) || !options.isFile(file)) return all;
        addFile(named);
        return before;
      }),
  );
  return { text: text.replaceAll(/\n{3,}/gu, "\n\n").trim(), media };
}

function kindOf(file: string, asVoice: boolean): MediaKind {
  const kind = kinds[path.extname(file).toLowerCase()] ?? "document";
  return kind === "audio" && asVoice ? "voice" : kind;
}

/** Changes what stands outside of code blocks and inline code; a path in backticks after `MEDIA:` is not code. */
function outsideCode(text: string, change: (words: string) => string): string {
  let out = "";
  let words = "";
  let fence = "";
  for (const line of text.split(/(?<=\n)/u)) {
    const [, marker = ""] = /^ {0,3}(`{3,})/u.exec(line) ?? [];
    if (fence === "" && marker === "") {
      words += line;
      continue;
    }
    out += inlineCodeKept(words, change) + line;
    words = "";
    if (fence === "") fence = marker;
    else if (marker.length >= fence.length) fence = "";
  }
  return out + inlineCodeKept(words, change);
}

function inlineCodeKept(text: string, change: (words: string) => string): string {
  const runs = [...text.matchAll(/`+/gu)].map((run) => ({ at: run.index, length: run[0].length }));
  const nextOfLength = new Map<number, number>();
  const closing = runs.map(() => -1);
  for (let index = runs.length - 1; index >= 0; index -= 1) {
    const length = runs[index]?.length ?? 0;
    closing[index] = nextOfLength.get(length) ?? -1;
    nextOfLength.set(length, index);
  }
  let out = "";
  let from = 0;
  for (let index = 0; index < runs.length; index += 1) {
    const open = runs[index];
    const close = runs[closing[index] ?? -1];
    if (open === undefined || close === undefined) continue;
    if (/MEDIA:[ \t]?$/u.test(text.slice(Math.max(0, open.at - 8), open.at))) index = closing[index] ?? index;
    else {
      out += change(text.slice(from, open.at)) + text.slice(open.at, close.at + close.length);
      from = close.at + close.length;
      index = closing[index] ?? index;
    }
  }
  return out + change(text.slice(from));
}
