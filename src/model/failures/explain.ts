import type { ProviderProfile } from "../providers/provider.ts";
import type { FailureKind, ModelFailure } from "./failure.ts";

/** A failure in words for a person: a stable code, what happened, and the next useful step. */
export interface Explanation {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly provider: string;
}

/** What is known of the provider; without it the words are more general. */
export interface ExplainedProvider
  extends Pick<ProviderProfile, "label" | "authKind" | "keyEnv" | "signUpUrl" | "probeBaseUrls"> {
  /** Where the credential in use came from (`env:OPENROUTER_API_KEY`), as the target says. */
  readonly source?: string;
  /** Its first and last characters. */
  readonly masked?: string;
}

/** The error code of each kind. Strings are stable: scripts and the API read them. */
const codes: Readonly<Record<FailureKind, string>> = {
  thinking_signature: "thinking_signature",
  long_context_tier: "long_context_tier",
  auth: "invalid_credentials",
  auth_permanent: "invalid_credentials",
  billing: "insufficient_credits",
  rate_limit: "rate_limit",
  overloaded: "temporarily_unavailable",
  server_error: "temporarily_unavailable",
  timeout: "temporarily_unavailable",
  context_overflow: "context_overflow",
  output_cap_too_large: "output_cap_too_large",
  payload_too_large: "payload_too_large",
  media_too_large: "media_too_large",
  model_not_found: "model_not_found",
  provider_policy_blocked: "provider_policy_blocked",
  unsupported_parameter: "unsupported_parameter",
  content_filtered: "content_filtered",
  format_error: "format_error",
  invalid_response: "invalid_response",
  key_scope: "key_scope_violation",
  budget_exceeded: "budget_exceeded",
  unknown: "unknown_failure",
};

export function explain(failure: ModelFailure, provider?: ExplainedProvider): Explanation {
  const name = provider?.label ?? failure.provider;
  return {
    code: codeOf(failure, provider),
    message: `${name} ${whatHappened(failure)}: ${summaryOf(failure)}`,
    hint: nextStep(failure, provider),
    provider: failure.provider,
  };
}

/** One line with the status and the provider's own words. */
export function summaryOf(failure: ModelFailure): string {
  const words = failure.message.replace(/^HTTP \d{3}:?\s*/, "");
  if (failure.status === undefined) return words;
  return words === "" ? `HTTP ${failure.status}` : `HTTP ${failure.status}: ${words}`;
}

function codeOf(failure: ModelFailure, provider: ExplainedProvider | undefined): string {
  const isAuth = failure.kind === "auth" || failure.kind === "auth_permanent";
  if (isAuth && isLogin(provider)) return "relogin_required";
  if (isAuth && provider?.authKind === "aws_sdk") return "no_aws_credentials";
  if (isAuth && isKeyMissing(failure)) return "missing_api_key";
  return codes[failure.kind];
}

function isLogin(provider: ExplainedProvider | undefined): boolean {
  return provider?.authKind === "oauth_device_code" || provider?.authKind === "oauth_external";
}

function isKeyMissing(failure: ModelFailure): boolean {
  return /no auth credentials|missing (?:api key|authentication|bearer)|didn't provide an api key|api[- ]key (?:is )?required/i.test(
    failure.message,
  );
}

function whatHappened(failure: ModelFailure): string {
  switch (failure.kind) {
    case "auth":
    case "auth_permanent":
      return "rejected the credentials";
    case "billing":
      return "has no credit left for this account";
    case "rate_limit":
      return "is limiting requests";
    case "overloaded":
      return "is overloaded";
    case "server_error":
      return "had an internal error";
    case "timeout":
      return "could not be reached or stopped answering";
    case "context_overflow":
    case "long_context_tier":
      return `cannot take a conversation of this size with ${failure.model}`;
    case "output_cap_too_large":
      return "refused the output limit";
    case "payload_too_large":
      return "refused the request because of its size";
    case "media_too_large":
      return "refused an attached image or file because of its size";
    case "model_not_found":
      return `does not have the model ${failure.model}, or this account may not use it`;
    case "provider_policy_blocked":
      return "blocked the request because of an account setting";
    case "unsupported_parameter":
      return `refused ${failure.parameter === undefined ? "a parameter" : `the parameter "${failure.parameter}"`}`;
    case "content_filtered":
      return "declined the content";
    case "thinking_signature":
      return "rejected the stored reasoning";
    case "format_error":
      return "rejected the request";
    case "invalid_response":
      return "sent an answer Hermes cannot read";
    case "key_scope":
      return "was not called";
    case "budget_exceeded":
      return "was not called: a spending limit was reached";
    case "unknown":
      return failure.status === 404 && failure.endpoint !== undefined
        ? `has nothing at ${failure.endpoint}`
        : "failed for an unknown reason";
  }
}

function nextStep(failure: ModelFailure, provider: ExplainedProvider | undefined): string {
  switch (failure.kind) {
    case "auth":
    case "auth_permanent":
      return credentialStep(failure, provider);
    case "billing":
      return billingStep(failure, provider);
    case "rate_limit":
      return `${waitStep(failure)}, or add another model with: hermes fallback add`;
    case "overloaded":
    case "server_error":
      return `${waitStep(failure)}, or switch with: hermes model`;
    case "timeout":
      return failure.isPartial
        ? "Ask for smaller pieces of work: long single writes are what dropped connections cut off."
        : "Check the connection and the address with: hermes doctor";
    case "context_overflow":
    case "long_context_tier":
    case "payload_too_large":
      return "Run /compress to shorten the conversation, or /new to start another.";
    case "output_cap_too_large":
      return `Set a lower limit with: hermes config set model.max_tokens ${failure.availableOutputTokens ?? 4096}`;
    case "media_too_large":
      return "Attach a smaller image or file.";
    case "model_not_found":
      return "Choose a model from the list with: hermes model";
    case "provider_policy_blocked":
      return `Change the privacy settings of the account${failure.helpUrl === undefined ? "" : ` at ${failure.helpUrl}`}, then try again.`;
    case "unsupported_parameter":
      return "Remove that parameter from the configuration (hermes config edit), or choose another model with: hermes model";
    case "content_filtered":
      return "Rephrase the request, or choose another model with: hermes model";
    case "thinking_signature":
      return "Run /new to start a conversation without the rejected reasoning.";
    case "format_error":
    case "invalid_response":
      return "Try another model with: hermes model; if that does not help, report it with: hermes debug";
    case "key_scope":
      return "Give this address its own credential: set api_key or key_env next to its base_url in config.yaml.";
    case "budget_exceeded":
      return "Raise budget.session_usd or budget.daily_usd with: hermes config set, or start a new session.";
    case "unknown":
      return failure.status === 404
        ? "Check the base URL with: hermes config get model.base_url"
        : "Try again; if it keeps failing, report it with: hermes debug";
  }
}

function credentialStep(failure: ModelFailure, provider: ExplainedProvider | undefined): string {
  const { source, masked = "***" } = provider ?? {};
  // Behind a command that is copied stands no full stop.
  const where = source === undefined ? "" : `. The one in use comes from ${source} (${masked}).`;
  if (isLogin(provider)) return `Log in again with: hermes auth add ${failure.provider}${where}`;
  if (provider?.authKind === "aws_sdk") return "Refresh the AWS credentials, for example with: aws sso login";
  // A key in the settings goes on winning over a stored one.
  if (source === "model_config")
    return "The key in use is model.api_key of config.yaml: change it with hermes config edit, or connect again with: hermes model";
  const [variable] = provider?.keyEnv ?? [];
  const put = variable === undefined ? "" : ` (or set ${variable})`;
  return `Store a valid key with: hermes auth add ${failure.provider}${put}${where}`;
}

function billingStep(failure: ModelFailure, provider: ExplainedProvider | undefined): string {
  const location = failure.helpUrl ?? provider?.signUpUrl;
  // An address in the provider's own words need not be read twice.
  const isTold = location !== undefined && failure.message.includes(location);
  const add = `Add credit ${location === undefined ? "at the provider" : isTold ? "there" : `at ${location}`}`;
  // The money may be at another address of the same service.
  if (provider?.probeBaseUrls !== undefined)
    return `${add}, or find the address the key belongs to with: hermes doctor --fix`;
  return `${add}, or use another model with: hermes model`;
}

function waitStep(failure: ModelFailure): string {
  if (failure.retryAfterMs === undefined) return "Wait a moment and try again";
  const seconds = Math.ceil(failure.retryAfterMs / 1000);
  if (seconds < 120) return `Wait ${seconds} s and try again`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 120
    ? `Wait ${minutes} minutes and try again`
    : `Wait ${Math.ceil(minutes / 60)} hours and try again`;
}
