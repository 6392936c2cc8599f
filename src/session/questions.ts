import { newId } from "#foundation/text/ids";
import type { AskUser } from "#tools";
import type { AgentSpec } from "./agent-handle.ts";
import type { SessionEvent } from "./api.ts";
import type { Prompts } from "./prompts.ts";
import type { SessionSettings } from "./settings.ts";

export interface QuestionsDeps {
  readonly prompts: Prompts;
  readonly settings: SessionSettings;
  canAsk(): boolean;
  emit(event: SessionEvent): void;
}

export interface Questions {
  readonly askUser: AskUser;
  readonly askPerson: AgentSpec["askPerson"];
  readonly askSecret: AgentSpec["askSecret"];
}

const ownJudgement = "(The user gave no answer. Use your own judgement, and say what you assumed.)";

/** Questions of the model, passwords and keys: events out, answers in. A secret goes to whoever asked and nowhere else. */
export function createQuestions(deps: QuestionsDeps): Questions {
  const { prompts, settings, emit } = deps;
  const askPerson: Questions["askPerson"] = async (question, choices, signal) => {
    if (!deps.canAsk()) return { kind: "nobody" };
    const id = newId("ask");
    const show = (): void => emit({ type: "question-request", id, question, choices });
    const timeoutMs = settings.questionTimeoutMs;
    const answered = await prompts.ask<string | undefined>({ id, timeoutMs, show }, signal);
    const text = answered.kind === "answered" ? (answered.value ?? "").trim() : "";
    emit({ type: "question-response", id, answer: text });
    signal.throwIfAborted();
    return text === "" ? { kind: "declined" } : { kind: "answer", text };
  };
  return {
    askPerson,
    async askUser(question, choices, signal) {
      const answered = await askPerson(question, choices, signal);
      return answered.kind === "answer" ? answered.text : ownJudgement;
    },
    async askSecret(prompt, what, signal) {
      if (!deps.canAsk()) return undefined;
      const id = newId("sec");
      const variable = what.variable === undefined ? {} : { variable: what.variable };
      const show = (): void => emit({ type: "secret-request", id, what: what.kind, prompt, ...variable });
      const timeoutMs = what.kind === "sudo" ? settings.sudoTimeoutMs : settings.secretTimeoutMs;
      const answered = await prompts.ask<string | undefined>({ id, timeoutMs, show }, signal);
      // Closes the field on the surface; what was typed is in no event.
      emit({ type: "question-response", id, answer: "" });
      const value = answered.kind === "answered" ? answered.value : undefined;
      return value === "" ? undefined : value;
    },
  };
}
