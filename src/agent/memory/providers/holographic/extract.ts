import { type Message, textOf } from "#conversation";

const preference =
  /\bI (?:really |always |usually )?(?:prefer|like|love|hate|dislike|use|want|need|work (?:at|on|with|for))\b/i;
const aboutMe =
  /\b(?:my (?:name|job|role|team|editor|favou?rite [\w ]{1,30}) (?:is|are)|call me|I live in|I am (?:a|an|from))\b/i;
const decision = /\b(?:we (?:decided|agreed|chose|settled)|let's (?:always|never))\b/i;

const maxMessages = 200;
const maxFound = 20;
const longest = 300;

/** Sentences of the user that sound like lasting facts; the assistant's words and tool results are never a source. */
export function extractFacts(
  messages: readonly Message[],
): readonly { readonly content: string; readonly category: string }[] {
  const found = new Map<string, string>();
  for (const message of messages.slice(-maxMessages)) {
    if (message.role !== "user" || message._scaffold === true) continue;
    for (const sentence of textOf(message.content).split(/(?<=[.!?])\s+|\n+/)) {
      const content = sentence.trim();
      if (content.length < 10 || content.length > longest || content.endsWith("?")) continue;
      if (preference.test(content) || aboutMe.test(content)) found.set(content, "user_pref");
      else if (decision.test(content)) found.set(content, "project");
      if (found.size >= maxFound) break;
    }
  }
  return [...found].slice(0, maxFound).map(([content, category]) => ({ content, category }));
}
