import { createHash } from "node:crypto";
import path from "node:path";
import { timeLimit } from "#foundation/lifecycle/abort";
import { isRecord } from "#foundation/text/json";
import type { SpokenWords, WordsToSay } from "#tools";
import type { MediaKind } from "../platform/inbound.ts";
import type { Outbound } from "../platform/outbound.ts";
import type { Capabilities } from "../platform/platform.ts";
import { type MarkupStyle, plainStyle, renderMarkdown } from "../text/markup.ts";

/** An answer that is to be heard. It is owed as words, and becomes sound when its turn to be sent has come. */
export interface OwedSpeech {
  readonly kind: "speech";
  readonly words: string;
}

/** Words as a sound file. */
export type SayAloud = (words: WordsToSay, signal: AbortSignal) => Promise<SpokenWords>;

export interface SpeechDeps {
  readonly sayAloud: SayAloud;
  readonly capabilities: Pick<Capabilities, "media">;
  /** Where the sound is kept until files of messages are forgotten. */
  readonly folder: string;
  readonly key: string;
}

const mostCharacters = 4_000;
/** The chat waits for it: what is written next comes after. */
const speakMs = 60_000;
/** Nobody wants to hear an address. */
const heardStyle: MarkupStyle = {
  ...plainStyle,
  link: (content) => content,
  image: (alt) => alt,
  quote: (content) => content,
  rule: () => "",
};

/** What there is to hear of an answer; undefined when that is nothing. */
export function speechOf(markdown: string): OwedSpeech | undefined {
  const words = Array.from(renderMarkdown(markdown, heardStyle).trim()).slice(0, mostCharacters).join("");
  return words === "" ? undefined : { kind: "speech", words };
}

export function readSpeech(payload: unknown): OwedSpeech | undefined {
  if (!isRecord(payload) || payload["kind"] !== "speech" || typeof payload["words"] !== "string") return undefined;
  return { kind: "speech", words: payload["words"] };
}

/** How sound reaches a chat: as a voice message where the platform has them and the format is theirs. */
export function soundKind(media: Capabilities["media"], isVoice: boolean): MediaKind | undefined {
  const kinds: readonly MediaKind[] = isVoice ? ["voice", "audio", "document"] : ["audio", "voice", "document"];
  return kinds.find((kind) => media[kind] !== undefined);
}

/** The words as the message that is sent; throws when nothing can say them. The same key gives the same file. */
export async function spoken(
  { words }: OwedSpeech,
  { sayAloud, capabilities, folder, key }: SpeechDeps,
  signal: AbortSignal,
): Promise<Outbound> {
  // Named as files of messages are, so that it is forgotten with them.
  const stem = path.join(folder, `audio_${createHash("sha256").update(key).digest("hex").slice(0, 12)}`);
  const isVoice = capabilities.media.voice !== undefined;
  const sound = await sayAloud({ text: words, isVoice, stem }, timeLimit(speakMs, signal));
  if (sound.kind === "silent") throw new Error(sound.reason);
  const media = soundKind(capabilities.media, sound.isVoice);
  if (media === undefined) throw new Error("the platform takes no sound");
  return { kind: "media", media, file: sound.file, name: path.basename(sound.file) };
}
