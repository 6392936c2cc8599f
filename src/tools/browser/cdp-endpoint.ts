import { callService, textField } from "../web/service-call.ts";

export type EndpointAnswer =
  | { readonly kind: "ready"; readonly url: string }
  | { readonly kind: "failed"; readonly reason: string };

/** A DevTools address one can connect to; `http` addresses are asked for theirs. */
export async function resolveEndpoint(input: string, signal: AbortSignal): Promise<EndpointAnswer> {
  const url = input.trim();
  if (/^wss?:\/\//i.test(url)) return { kind: "ready", url };
  const base = (/^https?:\/\//i.test(url) ? url : `http://${url}`).replace(/\/(?:json(?:\/version)?)?\/?$/, "");
  const answer = await callService(`${base}/json/version`, { timeoutMs: 10_000, maxBytes: 100_000, signal });
  if (answer.kind === "failed")
    return { kind: "failed", reason: `no DevTools at the configured address: ${answer.reason}` };
  const found = textField(answer.value, "webSocketDebuggerUrl");
  if (!/^wss?:\/\//.test(found)) return { kind: "failed", reason: "the configured DevTools address names no socket" };
  return { kind: "ready", url: found };
}
