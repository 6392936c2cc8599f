import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { Choice, PersonRequest } from "./frames.ts";

const choiceWords: Readonly<Record<Choice, string>> = {
  once: "Allow once",
  folder: "Allow in this folder",
  session: "Allow in this session",
  always: "Always allow",
  deny: "Deny",
};

export interface RequestProps {
  readonly request: PersonRequest;
  onApprove(choice: Choice): void;
  onAnswer(text: string | null): void;
}

/** What waits for a decision of the person. */
export function RequestCard({ request, onApprove, onAnswer }: RequestProps): VNode {
  switch (request.type) {
    case "approval-request":
      return (
        <section
          class={`request ${request.is_destructive ? "destructive" : ""}`}
          role="alertdialog"
          aria-label="Approval"
        >
          <h3>Allow {request.tool}?</h3>
          <pre tabIndex={0}>{request.summary}</pre>
          <ul>
            {request.reasons.map((reason) => (
              <li key={reason}>{reason}</li>
            ))}
          </ul>
          <div class="buttons">
            {request.choices.map((choice) => (
              <button
                type="button"
                key={choice}
                class={choice === "once" ? "" : choice === "deny" ? "deny" : "quiet"}
                onClick={() => onApprove(choice)}
              >
                {choiceWords[choice]}
              </button>
            ))}
          </div>
        </section>
      );
    case "question-request":
      return (
        <section class="request" role="alertdialog" aria-label="Question">
          <h3>{request.question}</h3>
          <div class="buttons">
            {request.choices.map((choice) => (
              <button type="button" key={choice} onClick={() => onAnswer(choice)}>
                {choice}
              </button>
            ))}
          </div>
          <AnswerLine label="Your answer" isSecret={false} onAnswer={onAnswer} />
        </section>
      );
    case "secret-request":
      return (
        <section class="request" role="alertdialog" aria-label="Secret">
          <h3>{request.prompt}</h3>
          <AnswerLine label={request.what === "sudo" ? "Password" : "Value"} isSecret onAnswer={onAnswer} />
        </section>
      );
  }
}

function AnswerLine({
  label,
  isSecret,
  onAnswer,
}: {
  readonly label: string;
  readonly isSecret: boolean;
  onAnswer(text: string | null): void;
}): VNode {
  const [text, setText] = useState("");
  const send = (event: Event): void => {
    event.preventDefault();
    onAnswer(text);
  };
  const field = {
    autocomplete: "off",
    "aria-label": label,
    placeholder: label,
    value: text,
    onInput: (event: { readonly currentTarget: HTMLInputElement }) => setText(event.currentTarget.value),
  };
  return (
    <form class="answer" onSubmit={send}>
      {isSecret ? <input type="password" {...field} /> : <input type="text" {...field} />}
      <button type="submit">Send</button>
      <button type="button" class="quiet" onClick={() => onAnswer(null)}>
        Cancel
      </button>
    </form>
  );
}
