import { chatFlags } from "../../chat/chat-flags.ts";
import type { Command, Flag } from "../../command.ts";

/** The conversation; its options also stand directly behind `hermes`. */
export const chatCommand: Command = {
  name: "chat",
  about: "Talk to Hermes in this terminal",
  flags: chatFlags,
  args: [{ name: "text", isOptional: true, isRest: true }],
  examples: [
    'hermes chat "what is in this folder?"',
    'hermes chat -q "what changed?" -Q',
    "hermes chat --resume 20260102_101500_1a2b3c4d",
    "hermes chat -c",
  ],
  run: async (invocation) => (await import("../../chat/chat.ts")).runChat(invocation),
};

/** Options of `hermes` without a command: those of the chat, and one question with one answer. */
export const programFlags: readonly Flag[] = [
  { name: "oneshot", short: "z", kind: "text", value: "<prompt>", about: "Ask once; print only the answer" },
  ...(chatCommand.flags ?? []),
];
