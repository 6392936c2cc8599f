import type { Consequences, FailureKind } from "./failure.ts";

const row = (flags: string): Consequences => ({
  isRetryable: flags.includes("retry"),
  mayCompress: flags.includes("compress"),
  mayRotate: flags.includes("rotate"),
  mayFallBack: flags.includes("fallback"),
});

/** What each kind of failure allows. Remedies read this table and nothing else. */
const table: Readonly<Record<FailureKind, Consequences>> = {
  thinking_signature: row("retry"),
  long_context_tier: row("retry compress"),
  auth: row("rotate fallback"),
  auth_permanent: row("fallback"),
  billing: row("rotate fallback"),
  rate_limit: row("retry rotate fallback"),
  overloaded: row("retry fallback"),
  server_error: row("retry fallback"),
  timeout: row("retry fallback"),
  context_overflow: row("retry compress"),
  output_cap_too_large: row("retry"),
  payload_too_large: row("retry compress"),
  media_too_large: row("retry"),
  model_not_found: row("fallback"),
  provider_policy_blocked: row(""),
  unsupported_parameter: row("retry fallback"),
  content_filtered: row("fallback"),
  format_error: row("fallback"),
  invalid_response: row("retry fallback"),
  key_scope: row(""),
  budget_exceeded: row(""),
  unknown: row("retry fallback"),
};

export function consequencesOf(kind: FailureKind): Consequences {
  return table[kind];
}
