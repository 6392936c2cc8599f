import { isRecord } from "#foundation/text/json";

/** What a failed request says about the connection. */
export type McpFailureKind =
  /** The caller stopped it. */
  | "aborted"
  | "timeout"
  | "unauthorized"
  /** Renewing the login was tried and did not help. */
  | "login-needed"
  /** The server no longer knows this session; a new connection helps. */
  | "session-lost"
  | "connection"
  /** The server answered with an error: the connection is fine. */
  | "answered";

const sessionLost =
  /\bsession\b.{0,24}\b(?:expired|not found|unknown|invalid)\b|\b(?:expired|unknown|invalid)\b.{0,8}\bsession\b/i;

/** The code of the error that says only the person can help. */
export const loginNeeded = "mcp_login_needed";

/** Judges by codes and status. Only a lost session is recognised by its words: servers have no code for it. */
export function failureKind(error: unknown, signal: AbortSignal): McpFailureKind {
  if (signal.aborted) return "aborted";
  const fields: Record<string, unknown> = error instanceof Error ? { ...error, name: error.name } : {};
  const code = fields["code"];
  const status = statusOf(error);
  if (code === "REQUEST_TIMEOUT") return "timeout";
  if (code === loginNeeded) return "login-needed";
  if (status === 401 || code === "CLIENT_HTTP_AUTHENTICATION" || fields["name"] === "UnauthorizedError") {
    return "unauthorized";
  }
  const text = error instanceof Error ? error.message : "";
  if (status === 404 || sessionLost.test(text)) return "session-lost";
  return typeof code === "number" ? "answered" : "connection";
}

export function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("data" in error)) return undefined;
  const data = error.data;
  const status = isRecord(data) ? data["status"] : undefined;
  return typeof status === "number" ? status : undefined;
}

const mask = "[REDACTED]";

/** Error texts of servers often quote what they were sent; keys in them do not go to the model. */
export function redactServerText(text: string): string {
  return text
    .replace(/\bBearer\s+[^\s"',;]+/gi, `Bearer ${mask}`)
    .replace(/\b(?:ghp|gho|ghs|ghu|github_pat)_[A-Za-z0-9_]+/g, mask)
    .replace(/\bsk-[A-Za-z0-9_-]{3,}/g, mask)
    .replace(/\b([A-Za-z0-9_]*(?:token|key|password|secret))\s*=\s*[^\s"'&,;]+/gi, `$1=${mask}`);
}
