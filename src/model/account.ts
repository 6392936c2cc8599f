import { httpRequest } from "#foundation/http/request";
import { isRecord, parseJson } from "#foundation/text/json";
import type { AccountLine, AccountProbe } from "./providers/account-probes.ts";
import type { Target } from "./target.ts";

export type AccountAnswer =
  | { readonly kind: "account"; readonly lines: readonly AccountLine[] }
  /** This provider does not tell, or not for this kind of credential. */
  | { readonly kind: "unsupported" }
  | { readonly kind: "failure"; readonly message: string };

const limitMs = 10_000;

/** Asks the provider of a target what is left. Takes at most ten seconds and never throws for a refusal. */
export async function readAccount(
  target: Target,
  probe: AccountProbe | undefined,
  options: { readonly signal: AbortSignal; readonly nowMs: number },
): Promise<AccountAnswer> {
  if (probe === undefined) return { kind: "unsupported" };
  const url = new URL(probe.path, `${target.baseUrl}/`);
  const headers = { accept: "application/json", ...target.headers, ...probe.headers };
  const authorization = await target.credential.authorize({ method: "GET", url, headers, body: "" }, options.signal);
  const response = await httpRequest(url, {
    headers: { ...headers, ...authorization },
    signal: options.signal,
    timeoutMs: limitMs,
    totalTimeoutMs: limitMs,
    maxBodyBytes: 256 * 1024,
    redirect: "error",
  });
  if (response.kind === "failure") {
    options.signal.throwIfAborted();
    return { kind: "failure", message: response.failure.message };
  }
  const body = await response.text();
  if (body.kind === "failure") return { kind: "failure", message: body.failure.message };
  // An ordinary API key may not see the pages of a plan; that is not worth an error.
  if (response.status === 401 || response.status === 403 || response.status === 404) return { kind: "unsupported" };
  if (response.status !== 200) return { kind: "failure", message: `HTTP ${response.status}` };
  const parsed = parseJson(body.text);
  const lines = parsed.ok && isRecord(parsed.value) ? probe.read(parsed.value, options.nowMs) : [];
  return lines.length === 0 ? { kind: "unsupported" } : { kind: "account", lines };
}
