import { defined } from "../defined.ts";
import { describe, UserError } from "../errors.ts";

/** Why there is no response, or not all of it. Messages name the host and path, never query or headers. */
export interface HttpFailure {
  readonly kind: "timeout" | "connection" | "aborted" | "too-large" | "invalid-url" | "invalid-request" | "tls";
  readonly message: string;
  /** The system's or the client's code: `ECONNREFUSED`, `UND_ERR_SOCKET`. */
  readonly code?: string;
  readonly cause?: unknown;
}

const timeoutCodes = new Set([
  "ETIMEDOUT",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
]);
const tlsCode =
  /^(?:ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|CRL_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_|EPROTO)/;

/** Turns whatever a fetch threw into a failure. `stopped` is what we did to it ourselves. */
export function toHttpFailure(error: unknown, target: URL, stopped: "aborted" | "timeout" | undefined): HttpFailure {
  const where = describeUrl(target);
  if (stopped === "aborted") return { kind: "aborted", message: `the request to ${where} was cancelled`, cause: error };
  if (stopped === "timeout") return { kind: "timeout", message: `${where} did not answer in time`, cause: error };
  if (error instanceof UserError)
    return { kind: "invalid-request", message: error.message, code: error.code, cause: error };
  const code = codeOf(error);
  const common = { ...defined({ code }), cause: error };
  if (code !== undefined && timeoutCodes.has(code))
    return { kind: "timeout", message: `${where} did not answer in time`, ...common };
  if (code !== undefined && tlsCode.test(code)) {
    return { kind: "tls", message: `no trusted connection to ${where} (${code})`, ...common };
  }
  return { kind: "connection", message: `no connection to ${where} (${code ?? describe(error)})`, ...common };
}

/** An address without what may be secret in it. */
export function describeUrl(url: string | URL): string {
  try {
    const { protocol, host, pathname } = new URL(url);
    return `${protocol}//${host}${pathname}`;
  } catch {
    return "(unreadable address)";
  }
}

/** The first code along the chain of causes; fetch wraps the telling error in a bare TypeError. */
function codeOf(error: unknown): string | undefined {
  let current: unknown = error;
  for (let depth = 0; depth < 8 && current instanceof Error; depth += 1) {
    if ("code" in current && typeof current.code === "string") return current.code;
    // Several addresses were tried (IPv6, IPv4) and each failed.
    current = current instanceof AggregateError ? current.errors[0] : current.cause;
  }
  return undefined;
}
