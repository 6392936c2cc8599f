import type { Store } from "#store";
import type { MessageSource } from "../platform/inbound.ts";

/** Which answers a chat hears as speech beside the text: none, those to voice messages, or all. */
export const voiceModes = ["off", "voice_only", "all"] as const;
export type VoiceMode = (typeof voiceModes)[number];

type Chat = Pick<MessageSource, "platform" | "chatId">;
type MetaStore = Pick<Store, "meta">;

const keyOf = ({ platform, chatId }: Chat): string => `gateway.voice.${platform}:${chatId}`;

/** What was set last in this chat. It is in the store, so every process knows it and every start finds it. */
export async function voiceMode({ meta }: MetaStore, chat: Chat): Promise<VoiceMode> {
  const stored = await meta.get(keyOf(chat));
  return voiceModes.find((mode) => mode === stored) ?? "off";
}

export async function setVoiceMode({ meta }: MetaStore, chat: Chat, mode: VoiceMode): Promise<void> {
  if (mode === "off") await meta.delete(keyOf(chat));
  else await meta.set(keyOf(chat), mode);
}
