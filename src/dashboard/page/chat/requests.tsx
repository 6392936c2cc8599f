import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { Choice, PersonRequest } from "./frames.tsx";

const choiceWords: Readonly<Record<Exclude<Choice, "deny">, string>> = {
  once: "Allow once",
  folder: "Allow in this folder",
  session: "Allow in this session",
  always: "Always allow",
};

export interface RequestProps {
  readonly request: PersonRequest;
  /** With why not, where somebody said so. */
  onApprove(choice: Choice, reason?: string): void;
  onAnswer(text: string | null): void;
}

/** What waits for a decision of the person. */
export function RequestCard({ request, onApprove, onAnswer }: RequestProps): VNode {
  switch (request.type) {
    case "approval-request":
      return <ApprovalCard request={request} onApprove={onApprove} />;
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

type Approval = Extract<PersonRequest, { readonly type: "approval-request" }>;

function ApprovalCard({ request, onApprove }: { readonly request: Approval } & Pick<RequestProps, "onApprove">): VNode {
  const { tool, summary, lines = [], reasons, choices, scopes = {}, is_destructive } = request;
  return (
    <section class={`request ${is_destructive ? "destructive" : ""}`} role="alertdialog" aria-label="Approval">
      <h3>Allow {tool}?</h3>
      <Summary text={summary} lines={lines} />
      <ul>
        {reasons.map((reason) => (
          <li key={reason}>{reason}</li>
        ))}
      </ul>
      <ul class="answers">
        {choices
          .filter((choice) => choice !== "deny")
          .map((choice) => (
            <li key={choice}>
              <button type="button" class={choice === "once" ? "" : "quiet"} onClick={() => onApprove(choice)}>
                {choiceWords[choice]}
              </button>
              <small>{scopes[choice]}</small>
            </li>
          ))}
      </ul>
      <Refusal onDeny={(reason) => onApprove("deny", reason)} />
    </section>
  );
}

/** The command, with the lines marked that the reasons are about. */
function Summary({ text, lines }: { readonly text: string; readonly lines: readonly number[] }): VNode {
  return (
    <pre tabIndex={0}>
      {text
        .split("\n")
        .flatMap((line, index) => [
          index === 0 ? "" : "\n",
          lines.includes(index) ? <mark key={index}>{line}</mark> : line,
        ])}
    </pre>
  );
}

function Refusal({ onDeny }: { onDeny(reason: string | undefined): void }): VNode {
  const [reason, setReason] = useState("");
  const deny = (event: Event): void => {
    event.preventDefault();
    onDeny(reason.trim() === "" ? undefined : reason);
  };
  return (
    <form class="answer" onSubmit={deny}>
      <input
        type="text"
        autocomplete="off"
        aria-label="Why not, or what to do instead"
        placeholder="Why not, or what to do instead (optional)"
        value={reason}
        onInput={(event) => setReason(event.currentTarget.value)}
      />
      <button type="submit" class="deny">
        Deny
      </button>
    </form>
  );
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
