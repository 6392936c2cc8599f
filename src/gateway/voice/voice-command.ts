import type { Store } from "#store";
import type { MessageSource } from "../platform/inbound.ts";
import { setVoiceMode, type VoiceMode, voiceMode } from "./voice-mode.ts";

/** `on` and `tts` are the words of the command; the names of the modes are understood, too. */
const modes: Readonly<Record<string, VoiceMode>> = {
  on: "voice_only",
  voice_only: "voice_only",
  tts: "all",
  all: "all",
  off: "off",
};

const meaning: Readonly<Record<VoiceMode, string>> = {
  off: "Answers are not spoken in this chat.",
  voice_only: "Answers to voice messages are spoken, too, in this chat.",
  all: "All answers are spoken, too, in this chat.",
};

/** `/voice`: which answers this chat hears as speech. */
export async function voiceCommand(args: string, source: MessageSource, store: Pick<Store, "meta">): Promise<string> {
  const word = args.trim().toLowerCase();
  if (word === "" || word === "status") return `${meaning[await voiceMode(store, source)]}\n\n${usage}`;
  if (["join", "channel", "leave"].includes(word)) return `I cannot join voice channels.\n\n${usage}`;
  const mode = Object.hasOwn(modes, word) ? modes[word] : undefined;
  if (mode === undefined) return usage;
  await setVoiceMode(store, source, mode);
  return meaning[mode];
}

const usage =
  "Usage: `/voice on` (answers to voice messages), `/voice tts` (all answers), `/voice off`, `/voice status`";
