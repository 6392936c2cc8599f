import type { Message, SessionId } from "#conversation";
import type { Aggregates } from "#store";
import type { InboundMessage } from "../platform/inbound.ts";
import { voiceMode } from "./voice-mode.ts";

/**
 * Whether the chat hears the answer to this message, too. Where the agent has made speech in this turn by itself, it is
 * not said again; the transcript in the store knows that after a crash, too.
 */
export async function isSpoken(
  store: Pick<Aggregates, "meta" | "messages">,
  message: InboundMessage,
  sessionId: SessionId,
): Promise<boolean> {
  const mode = await voiceMode(store, message.answerTo ?? message.source);
  if (mode === "off") return false;
  const cameAsVoice = message.attachments.some(({ kind }) => kind === "voice");
  if (mode === "voice_only" && !cameAsVoice) return false;
  const transcript = await store.messages.conversation(sessionId);
  const asked = transcript.findLastIndex(({ role }) => role === "user");
  return !transcript.slice(asked + 1).some(makesSpeech);
}

function makesSpeech(message: Message): boolean {
  if (message.role !== "assistant") return false;
  return (message.tool_calls ?? []).some((call) => call.function.name === "text_to_speech");
}
