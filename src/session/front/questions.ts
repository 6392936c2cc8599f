import { defined } from "#foundation/defined";
import { Secret } from "#foundation/secrets/secret";
import { newId } from "#foundation/text/ids";
import type { AskUser, Prompter } from "#tools";
import type { SessionEvent } from "../api.ts";
import type { SessionSettings } from "../settings.ts";
import type { Prompts } from "./prompts.ts";

export interface QuestionsDeps {
  readonly prompts: Prompts;
  readonly settings: Pick<SessionSettings, "sudoTimeoutMs" | "secretTimeoutMs">;
  questionMs(): number;
  canAsk(): boolean;
  emit(event: SessionEvent): void;
}

const ownJudgement = "(The user gave no answer. Use your own judgement, and say what you assumed.)";

/** Passwords, keys and questions of servers: events out, answers in. A secret goes to whoever asked and nowhere else. */
export function createPrompter({ prompts, settings, questionMs, emit, canAsk }: QuestionsDeps): Prompter {
  return {
    async question(question, choices, signal) {
      if (!canAsk()) return { kind: "nobody" };
      const id = newId("ask");
      const show = (): void => emit({ type: "question-request", id, question, choices });
      const timeoutMs = questionMs();
      const answered = await prompts.ask<string | undefined>({ id, timeoutMs, show }, signal);
      const text = answered.kind === "answered" ? (answered.value ?? "").trim() : "";
      emit({ type: "question-response", id, answer: text });
      signal.throwIfAborted();
      return text === "" ? { kind: "declined" } : { kind: "answer", text };
    },
    async secret({ prompt, kind, variable }, signal) {
      if (!canAsk()) return { kind: "nobody" };
      const id = newId("sec");
      const show = (): void => emit({ type: "secret-request", id, what: kind, prompt, ...defined({ variable }) });
      const timeoutMs = kind === "sudo" ? settings.sudoTimeoutMs : settings.secretTimeoutMs;
      const answered = await prompts.ask<string | undefined>({ id, timeoutMs, show }, signal);
      // Closes the field on the surface; what was typed is in no event.
      emit({ type: "question-response", id, answer: "" });
      const typed = answered.kind === "answered" ? (answered.value ?? "") : "";
      return typed === "" ? { kind: "declined" } : { kind: "secret", secret: new Secret(typed) };
    },
  };
}

/** The model's own questions: without an answer it judges for itself. */
export function askWith(prompter: Prompter): AskUser {
  return async (question, choices, signal) => {
    const answered = await prompter.question(question, choices, signal);
    return answered.kind === "answer" ? answered.text : ownJudgement;
  };
}
