import type { AgentEvent } from "./agent-event.ts";

type Recovery = Extract<AgentEvent, { readonly type: "recovery-start" }>;

/** What a failed attempt ran into, by the code in front of the provider's own words. */
const failures: Readonly<Record<string, string>> = {
  rate_limit: "The provider is limiting requests",
  overloaded: "The provider is overloaded",
  server_error: "The provider had an internal error",
  timeout: "The provider could not be reached or stopped answering",
  invalid_response: "The provider sent something unreadable",
  auth: "The provider rejected the credentials",
  auth_permanent: "The provider rejected the credentials",
  billing: "The account has no credit left",
  context_overflow: "The conversation is too large for the model",
  long_context_tier: "The conversation is too large for this account",
  output_cap_too_large: "The model cannot answer at that length",
  payload_too_large: "The request is too large",
  media_too_large: "An image is too large",
  model_not_found: "The provider does not have this model",
  unsupported_parameter: "The model does not take one of the settings",
  thinking_signature: "Earlier reasoning was not accepted",
  format_error: "The provider did not accept the request",
  unknown: "The request failed",
};

/** What is wrong with a reply that did arrive. */
const defects: Readonly<Record<string, string>> = {
  "truncated-text": "The answer was cut at its length limit",
  "truncated-call": "A tool call was cut",
  "thinking-exhausted": "Thinking used up the whole answer",
  "incomplete-reasoning": "The thinking was cut",
  "responses-incomplete": "The answer was not finished",
  "unknown-tool": "The model called a tool that does not exist",
  "unreadable-arguments": "A tool call could not be read",
  empty: "The answer was empty",
  "planning-only": "The model announced work without doing it",
};

/** What is done about it; everything else asks again. */
const remedies: Readonly<Record<string, string>> = {
  "fresh-connection": "trying again over a new connection",
  "compress-history": "shortening the conversation",
  "continue-now": "asking it to go on",
  "continue-truncated": "asking for the rest",
  "keep-partial-stream": "asking for the rest",
  "drop-reasoning-signatures": "trying again without it",
  "explain-bad-call": "telling the model",
  "explain-unreadable": "telling the model",
  "lower-context-tier": "shortening the conversation",
  "use-earlier-text": "using what it said before",
  "renew-credential": "renewing the credential",
  "scrub-text": "trying again with cleaned text",
  "shrink-media": "trying again with smaller images",
  "shrink-output": "trying again with a shorter limit",
  "persist-results": "moving large results into files",
  "strip-unsupported": "trying again without it",
  "switch-target": "trying the next model",
};

/** One sentence for the person who waits: what happened, in the provider's words, and what is done about it. */
export function recoveryWords({ problem, remedy, waitMs, provider }: Recovery): string {
  const wait = waitMs > 0 ? ` in ${Math.ceil(waitMs / 1_000)} s` : "";
  return `${problemWords(problem, provider)} – ${remedies[remedy] ?? "trying again"}${wait}`;
}

/** The same for a line that counts down by itself. */
export function waitingWords({ problem, provider, attempt }: Recovery): {
  readonly reason: string;
  readonly attempt: string;
} {
  const [reason = ""] = problemWords(problem, provider).split(": ");
  return { reason, attempt: attempt === undefined ? "again" : `attempt ${attempt.number} of ${attempt.of}` };
}

function problemWords(problem: string, provider: string | undefined): string {
  return wordsOf(problem).replace(/^The provider\b/, provider ?? "The provider");
}

function wordsOf(problem: string): string {
  const [, code = "", detail = ""] = /^(\w+): ([\s\S]*)$/.exec(problem) ?? [];
  const failure = failures[code];
  if (failure === undefined) return defects[problem] ?? problem;
  return detail.trim() === "" ? failure : `${failure}: ${detail.trim()}`;
}
