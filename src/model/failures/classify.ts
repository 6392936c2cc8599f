import { consequencesOf } from "./consequences.ts";
import type { FailureKind, ModelFailure } from "./failure.ts";
import type { AttemptFault, FailureFacts } from "./fault.ts";
import { availableOutputIn, contextLimitIn, refusedParameterIn, waitIn } from "./numbers.ts";
import { type Rule, rules } from "./rules.ts";
import { type OpenedBody, openBody } from "./unwrap.ts";

/** What a fault means. Pure: the same fault and facts always give the same failure. */
export function classify(fault: AttemptFault, facts: FailureFacts): ModelFailure {
  switch (fault.kind) {
    case "http":
      return fromResponse(fault, facts);
    case "stream":
      return fromStream(fault, facts);
    case "connection":
      return fromConnection(fault, facts);
    case "stale":
      return make("timeout", facts, {
        message: `no data for ${Math.round(fault.waitedMs / 1000)} s`,
        isPartial: fault.textShown === true,
      });
    case "invalid":
      return make("invalid_response", facts, { message: fault.reason });
    case "key-scope":
      return make("key_scope", facts, { message: `the credential may not be sent to ${fault.host}` });
    case "budget":
      return make("budget_exceeded", facts, { message: fault.message });
  }
}

type HttpFault = Extract<AttemptFault, { kind: "http" }>;

function fromResponse(fault: HttpFault, facts: FailureFacts): ModelFailure {
  const opened = openBody(fault.body);
  const kind = kindOf(fault.status, opened) ?? statusAlone(fault.status, opened, facts);
  const waitMs = waitIn(fault.headers, opened, facts.nowMs);
  return make(kind, facts, {
    status: fault.status,
    message: opened.message === "" ? `HTTP ${fault.status}` : opened.message,
    ...details(kind, opened),
    ...(waitMs === undefined ? {} : { retryAfterMs: waitMs, resetAtMs: facts.nowMs + waitMs }),
  });
}

function fromStream(fault: Extract<AttemptFault, { kind: "stream" }>, facts: FailureFacts): ModelFailure {
  const { status, code, message, body } = fault.fault;
  const opened = openBody(body === "" ? message : body);
  const codes = code === undefined ? opened.codes : [code.toLowerCase(), ...opened.codes];
  const known = { ...opened, codes, text: `${opened.text}\n${message.toLowerCase()}` };
  const kind = kindOf(status ?? statusInCodes(codes) ?? 0, known) ?? disconnectKind(facts);
  const waitMs = waitIn({}, known, facts.nowMs);
  return make(kind, facts, {
    ...(status === undefined ? {} : { status }),
    message: opened.message === "" ? message : opened.message,
    isPartial: fault.textShown,
    ...details(kind, known),
    ...(waitMs === undefined ? {} : { retryAfterMs: waitMs, resetAtMs: facts.nowMs + waitMs }),
  });
}

function fromConnection(fault: Extract<AttemptFault, { kind: "connection" }>, facts: FailureFacts): ModelFailure {
  const { failure } = fault;
  // A server that hangs up on a large request has usually refused its size; a broken TLS record never means that.
  const hungUp = failure.kind === "connection" && isHangUp(failure.code, failure.message);
  return make(hungUp ? disconnectKind(facts) : "timeout", facts, { message: failure.message });
}

function isHangUp(code: string | undefined, message: string): boolean {
  return /ECONNRESET|UND_ERR_SOCKET|EPIPE|ERR_STREAM_PREMATURE_CLOSE/.test(`${code ?? ""} ${message}`);
}

function disconnectKind(facts: FailureFacts): FailureKind {
  const isLarge = facts.tokens > 0.6 * facts.window || facts.tokens > 120_000 || facts.messageCount > 200;
  return isLarge ? "context_overflow" : "timeout";
}

function kindOf(status: number, opened: OpenedBody): FailureKind | undefined {
  return rules.find((rule) => matches(rule, status, opened))?.kind;
}

function matches(rule: Rule, status: number, opened: OpenedBody): boolean {
  if (rule.statuses !== undefined && !rule.statuses.includes(status)) return false;
  if (rule.codes !== undefined && !rule.codes.some((code) => opened.codes.includes(code))) return false;
  if (rule.all !== undefined && !rule.all.every((pattern) => pattern.test(opened.text))) return false;
  if (rule.any !== undefined && !rule.any.some((pattern) => pattern.test(opened.text))) return false;
  return rule.none === undefined || !rule.none.some((pattern) => pattern.test(opened.text));
}

/** No rule knew it. A short, empty complaint about a large request is most often an overflow. */
function statusAlone(status: number, opened: OpenedBody, facts: FailureFacts): FailureKind {
  if (status >= 500) return "server_error";
  if (status === 404) return "unknown";
  if (status === 400 && opened.message.length < 30) {
    const isLarge = facts.tokens > 0.4 * facts.window || facts.tokens > 80_000 || facts.messageCount > 80;
    if (isLarge) return "context_overflow";
  }
  return status >= 400 ? "format_error" : "unknown";
}

function statusInCodes(codes: readonly string[]): number | undefined {
  const found = codes.map(Number).find((code) => Number.isInteger(code) && code >= 400 && code < 600);
  return found;
}

function details(kind: FailureKind, opened: OpenedBody): Partial<ModelFailure> {
  const contextLimit = kind === "context_overflow" ? contextLimitIn(opened.text) : undefined;
  const available = kind === "output_cap_too_large" ? availableOutputIn(opened.text) : undefined;
  const parameter = kind === "unsupported_parameter" ? refusedParameterIn(opened.text, opened) : undefined;
  return {
    ...(contextLimit === undefined ? {} : { contextLimit }),
    ...(available === undefined ? {} : { availableOutputTokens: available }),
    ...(parameter === undefined ? {} : { parameter }),
  };
}

function make(
  kind: FailureKind,
  facts: FailureFacts,
  rest: Partial<ModelFailure> & { readonly message: string },
): ModelFailure {
  const allowed = consequencesOf(kind);
  // A 403 is about the account, not about this key.
  const mayRotate = allowed.mayRotate && !(kind === "auth" && rest.status === 403);
  return { kind, provider: facts.provider, model: facts.model, isPartial: false, ...allowed, mayRotate, ...rest };
}
