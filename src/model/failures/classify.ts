import { defined } from "#foundation/defined";
import type { HttpFailure } from "#foundation/http/request";
import { Redactor } from "#foundation/secrets/redact";
import { readCauses } from "./cause-chain.ts";
import { consequencesOf } from "./consequences.ts";
import type { FailureKind, ModelFailure } from "./failure.ts";
import type { AttemptFault, FailureFacts } from "./fault.ts";
import { availableOutputIn, contextLimitIn, excessIn, refusedParameterIn } from "./numbers.ts";
import { ruleMatches } from "./rule.ts";
import { rules } from "./rules.ts";
import { type OpenedBody, openBody } from "./unwrap.ts";
import { waitIn } from "./wait-hint.ts";

/** What a fault means. Pure: the same fault and facts always give the same failure. */
export function classify(fault: AttemptFault, facts: FailureFacts): ModelFailure {
  switch (fault.kind) {
    case "http":
      return fromResponse(fault, facts);
    case "stream":
      return fromStream(fault, facts);
    case "connection":
      return make(connectionKind(fault.failure, facts), facts, { message: fault.failure.message });
    case "stale":
      return make("timeout", facts, {
        message: `no data for ${Math.round(fault.waitedMs / 1000)} s`,
        isPartial: fault.textShown === true,
        isSilence: true,
      });
    case "invalid":
      return make("invalid_response", facts, { message: fault.reason });
    case "key-scope":
      return make("key_scope", facts, { message: `the credential may not be sent to ${fault.host}` });
    case "budget":
      return make("budget_exceeded", facts, { message: fault.message });
    case "thrown":
      return fromThrown(fault, facts);
  }
}

function fromResponse(fault: Extract<AttemptFault, { kind: "http" }>, facts: FailureFacts): ModelFailure {
  const opened = openBody(fault.body);
  const kind = kindByRule(fault.status, opened) ?? kindByStatus(fault.status, opened, facts);
  return make(kind, facts, {
    status: fault.status,
    message: opened.message === "" ? `HTTP ${fault.status}` : opened.message,
    ...details(kind, opened),
    ...wait(kind === "rate_limit" ? fault.headers : asked(fault.headers), opened, facts.nowMs),
  });
}

/** What the server asked for in so many words; the state of allowances says nothing about other troubles. */
function asked(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => /^retry-after/i.test(name)));
}

function fromStream(fault: Extract<AttemptFault, { kind: "stream" }>, facts: FailureFacts): ModelFailure {
  const { code, message, body } = fault.fault;
  const opened = openBody(body === "" ? message : body);
  const codes = code === undefined ? opened.codes : [code.toLowerCase(), ...opened.codes];
  const known = { ...opened, codes, text: `${opened.text}\n${message.toLowerCase()}` };
  const status = fault.fault.status ?? statusInCodes(codes);
  const kind =
    kindByRule(status ?? 0, known) ??
    streamKind(status, known, { facts, wasCut: body === "", textShown: fault.textShown });
  return make(kind, facts, {
    ...defined({ status }),
    message: opened.isTold ? opened.message : message,
    isPartial: fault.textShown,
    ...details(kind, known),
    ...wait({}, known, facts.nowMs),
  });
}

function streamKind(
  status: number | undefined,
  opened: OpenedBody,
  at: { readonly facts: FailureFacts; readonly wasCut: boolean; readonly textShown: boolean },
): FailureKind {
  if (status !== undefined) return kindByStatus(status, opened, at.facts);
  if (!at.wasCut) return "unknown";
  // A server that has begun to answer has accepted the size of the request.
  return at.textShown ? "timeout" : disconnectKind(at.facts);
}

function fromThrown(fault: Extract<AttemptFault, { kind: "thrown" }>, facts: FailureFacts): ModelFailure {
  const causes = readCauses(fault.error);
  const opened = openBody(causes.body ?? causes.message);
  const codes = causes.code === undefined ? opened.codes : [causes.code.toLowerCase(), ...opened.codes];
  const known = { ...opened, codes, text: `${opened.text}\n${causes.text.toLowerCase()}` };
  const { status } = causes;
  const kind =
    kindByRule(status ?? 0, known) ??
    (status === undefined ? transportKind(causes.text, facts) : kindByStatus(status, known, facts));
  return make(kind, facts, {
    ...defined({ status }),
    message: opened.message,
    isPartial: fault.textShown === true,
    ...details(kind, known),
    ...wait({}, known, facts.nowMs),
  });
}

const hangUp =
  /ECONNRESET|UND_ERR_SOCKET|EPIPE|ERR_STREAM_PREMATURE_CLOSE|other side closed|socket hang up|server disconnected|premature close/i;
const tlsFault = /bad record mac|\bssl\b|tls|CERT_|EPROTO|certificate/i;
const transport =
  /ECONN|ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|UND_ERR|timed? ?out|network|fetch failed|getaddrinfo/i;

function connectionKind(failure: HttpFailure, facts: FailureFacts): FailureKind {
  switch (failure.kind) {
    case "timeout":
    case "tls":
      return "timeout";
    case "connection":
      return transportKind(
        `${failure.code ?? ""} ${failure.message} ${readCauses(failure.cause).text}`,
        facts,
        "timeout",
      );
    case "too-large":
      return "invalid_response";
    case "invalid-url":
    case "invalid-request":
      return "format_error";
    case "aborted":
      return "unknown";
  }
}

/** A server that hangs up on a large request has usually refused its size; a broken TLS record never means that. */
function transportKind(text: string, facts: FailureFacts, otherwise: FailureKind = "unknown"): FailureKind {
  if (tlsFault.test(text)) return "timeout";
  if (hangUp.test(text)) return disconnectKind(facts);
  return transport.test(text) ? "timeout" : otherwise;
}

function disconnectKind(facts: FailureFacts): FailureKind {
  const isLarge = facts.tokens > 0.6 * facts.window || facts.tokens > 120_000 || facts.messageCount > 200;
  return isLarge ? "context_overflow" : "timeout";
}

function kindByRule(status: number, opened: OpenedBody): FailureKind | undefined {
  return rules.find((rule) => ruleMatches(rule, status, opened))?.kind;
}

/** No rule knew it. A short, empty complaint about a large request is most often an overflow. */
function kindByStatus(status: number, opened: OpenedBody, facts: FailureFacts): FailureKind {
  if (status >= 500) return "server_error";
  if (status === 404) return "unknown";
  if (status === 400 && opened.message.length < 30) {
    const isLarge = facts.tokens > 0.4 * facts.window || facts.tokens > 80_000 || facts.messageCount > 80;
    if (isLarge) return "context_overflow";
  }
  return status >= 400 ? "format_error" : "unknown";
}

function statusInCodes(codes: readonly string[]): number | undefined {
  return codes.map(Number).find((code) => Number.isInteger(code) && code >= 400 && code < 600);
}

function details(kind: FailureKind, opened: OpenedBody): Partial<ModelFailure> {
  const contextLimit = kind === "context_overflow" ? contextLimitIn(opened.text) : undefined;
  const excess = kind === "context_overflow" && contextLimit === undefined ? excessIn(opened.text) : undefined;
  const available = kind === "output_cap_too_large" ? availableOutputIn(opened.text) : undefined;
  const parameter = kind === "unsupported_parameter" ? refusedParameterIn(opened) : undefined;
  const helpUrl = kind === "provider_policy_blocked" || kind === "billing" ? firstLink(opened.text) : undefined;
  return {
    ...defined({ contextLimit, excessTokens: excess, availableOutputTokens: available, parameter, helpUrl }),
  };
}

function firstLink(text: string): string | undefined {
  return /https:\/\/[a-z0-9.-]{3,100}(?:\/[\w./?=&#%~-]{0,200})?/.exec(text)?.[0].replace(/[.,)\]]+$/, "");
}

function wait(
  headers: Readonly<Record<string, string>>,
  opened: OpenedBody,
  nowMs: number,
): Pick<ModelFailure, "retryAfterMs" | "resetAtMs"> {
  const waitMs = waitIn(headers, opened, nowMs);
  return waitMs === undefined ? {} : { retryAfterMs: waitMs, resetAtMs: nowMs + waitMs };
}

function make(
  kind: FailureKind,
  facts: FailureFacts,
  rest: Partial<ModelFailure> & { readonly message: string },
): ModelFailure {
  const allowed = consequencesOf(kind);
  return {
    kind,
    provider: facts.provider,
    model: facts.model,
    isPartial: false,
    ...allowed,
    // A 403 is about the account, not about this key.
    mayRotate: allowed.mayRotate && !(kind === "auth" && rest.status === 403),
    ...defined({ endpoint: facts.endpoint }),
    ...rest,
    // Some providers quote the key they refuse.
    message: new Redactor().redact(rest.message.slice(0, 500)),
  };
}
