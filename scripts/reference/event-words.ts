import type { SessionEvent } from "#session";

/** One sentence for each event that has no comment of its own in the source. */
export const eventWords: Readonly<Partial<Record<SessionEvent["type"], string>>> = {
  "turn-start": "A turn began. It ends with `turn-end`, whatever happens.",
  "step-start": "The model is about to be asked; `limit` is the most steps this turn may take.",
  "attempt-start": "One call to a provider began. A step may need several.",
  "attempt-end": "That call is over, with or without a reply.",
  "text-delta": "A piece of the visible answer.",
  "reasoning-delta": "A piece of the model's thinking, where the provider shows it.",
  "tool-input-start": "The model began to write the arguments of a tool call.",
  "message-end": "A reply is complete and stored; `wasStreamed` says whether its text was sent as deltas.",
  "tool-start": "A tool call runs. `preview` is its argument in a few words.",
  "tool-end": "A tool call is over. `diff` is there when a file was changed.",
  "approval-request": "A call waits for permission. Answer with `approve(id, choice)`.",
  "approval-response": "The question was answered, here or elsewhere, or ran out of time.",
  "question-request": "The model asks the person. Answer with `answer(id, text)`.",
  "question-response": "The model's question was answered.",
  "recovery-start": "An attempt or a reply was no good, and this remedy is tried.",
  "compression-start": "The older part of the conversation is being shortened.",
  "compression-end": "It has been shortened.",
  usage: "Tokens and money of one attempt, and how full the context is.",
  "target-change": "Another model answers from here on, for example a fallback.",
  "input-admitted": "Words of the person entered the conversation.",
  notice: "Something the person should know.",
  "turn-end": "The turn is over. Nothing of this turn follows.",
  "session-changed": "What is known about the session changed: title, model, tools, or another session took its place.",
  "queue-changed": "Messages that wait for the end of the turn.",
  "secret-request":
    "A password or a key is needed. Answer with `answer(id, text)`; the text is in no event, message or log.",
  "background-start": "A prompt was started in a session of its own, beside this one.",
  "background-end": "A prompt that ran in a session of its own has its answer.",
};
