import path from "node:path";
import { ensureDir, writeFileAtomic } from "#foundation/files/files";
import { chooseSpeech, type SpeechChoice } from "./choose.ts";

export interface SayAloudDeps {
  readonly speech: SpeechChoice;
  /** Makes Ogg Opus of a sound file; undefined when the machine cannot. */
  toOpus?(source: string, target: string, signal: AbortSignal): Promise<boolean>;
}

export interface WordsToSay {
  readonly text: string;
  /** Ogg Opus, as voice messages of chats are; another format where it cannot be had. */
  readonly isVoice: boolean;
  /** Where the sound goes, without the ending that says its format. */
  readonly stem: string;
}

export type SpokenWords =
  | { readonly kind: "spoken"; readonly file: string; readonly isVoice: boolean }
  | { readonly kind: "silent"; readonly reason: string };

/** Text as a sound file, by the configured voice. What the service takes no longer is left out. */
export async function sayAloud(
  deps: SayAloudDeps,
  { text, isVoice, stem }: WordsToSay,
  signal: AbortSignal,
): Promise<SpokenWords> {
  const chosen = await chooseSpeech(deps.speech, signal);
  if (chosen.kind === "missing") return { kind: "silent", reason: chosen.reason };
  const { provider } = chosen;
  const words = Array.from(text).slice(0, provider.maxChars).join("");
  const speech = await provider.speak({ text: words, format: isVoice ? "ogg" : "mp3" }, signal);
  if (speech.kind === "failed") return { kind: "silent", reason: `${provider.name}: ${speech.reason}` };
  const file = `${stem}.${speech.format}`;
  await ensureDir(path.dirname(file), 0o700);
  await writeFileAtomic(file, speech.bytes, { mode: 0o600 });
  if (speech.format === "ogg") return { kind: "spoken", file, isVoice: true };
  const opus = `${stem}.ogg`;
  if (isVoice && (await deps.toOpus?.(file, opus, signal)) === true)
    return { kind: "spoken", file: opus, isVoice: true };
  return { kind: "spoken", file, isVoice: false };
}
