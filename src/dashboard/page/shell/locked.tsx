import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { keepToken } from "./token.tsx";

/** For who has no token: where it is, or the password that gives it. */
export function Locked({ onToken }: { onToken(token: string): void }): VNode {
  return (
    <main class="page">
      <h1>Hermes</h1>
      {document.documentElement.dataset["login"] === "password" ? (
        <PasswordForm onToken={onToken} />
      ) : (
        <p>This address needs the token of the running dashboard. Open the one that "hermes dashboard" printed.</p>
      )}
    </main>
  );
}

function PasswordForm({ onToken }: { onToken(token: string): void }): VNode {
  const [password, setPassword] = useState("");
  const [problem, setProblem] = useState("");
  const enter = async (): Promise<void> => {
    setProblem("");
    const headers = { "content-type": "application/json" };
    const answer = await fetch("api/login", { method: "POST", headers, body: JSON.stringify({ password }) });
    if (!answer.ok) return setProblem("This is not the password.");
    const { token } = (await answer.json()) as { readonly token: string };
    keepToken(token);
    onToken(token);
  };
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        enter().catch(() => setProblem("Hermes does not answer."));
      }}
    >
      <label>
        Password{" "}
        <input
          type="password"
          required
          autocomplete="current-password"
          value={password}
          onInput={(event) => setPassword(event.currentTarget.value)}
        />
      </label>
      <button type="submit">Open the dashboard</button>
      {problem !== "" && <p role="alert">{problem}</p>}
    </form>
  );
}
