import { openLoopback } from "#foundation/http/loopback";
import type { FlowContext, LoginUi } from "./flow.ts";
import { type CallbackAnswer, readCallback } from "./pkce.ts";

export interface BrowserQuestion {
  readonly ui: LoginUi;
  readonly env: FlowContext["env"];
  readonly state: string;
  /** Where the service sends the browser back to, on this machine. */
  readonly port: number;
  readonly path: string;
  /** False: the service knows this port and no other. */
  readonly takesAnyPort: boolean;
  /** What the person opens. */
  addressFor(redirectUri: string): string;
}

export type BrowserAnswer =
  | { readonly kind: "code"; readonly code: string; readonly redirectUri: string }
  | Extract<CallbackAnswer, { kind: "refused" }>;

/**
 * Sends the person to the page of a service and waits for what the browser brings back. Over SSH the browser cannot
 * reach this machine, so the person pastes the address it ended at.
 */
export async function askInBrowser(question: BrowserQuestion, signal: AbortSignal): Promise<BrowserAnswer> {
  const { ui, state, port, path, takesAnyPort } = question;
  if (ui.isHeadless || isHeadless(question.env)) {
    const redirectUri = `http://127.0.0.1:${port}${path}`;
    ui.showPage({ url: question.addressFor(redirectUri) });
    const text = await ui.paste("Paste the address the browser ended at", signal);
    const answer = readCallback(text, state);
    return answer.kind === "code" ? { ...answer, redirectUri } : answer;
  }
  await using loopback = await openLoopback({ port, takesAnyPort, path, state });
  const url = question.addressFor(loopback.redirectUri);
  ui.showPage({ url });
  await ui.openBrowser(url);
  const answer = readCallback(`${loopback.redirectUri}?${await loopback.answer(signal)}`, state);
  return answer.kind === "code" ? { ...answer, redirectUri: loopback.redirectUri } : answer;
}

function isHeadless(env: Readonly<Record<string, string | undefined>>): boolean {
  if (env.HERMES_HEADLESS === "1") return true;
  return ["SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY"].some((name) => (env[name] ?? "") !== "");
}
