import { textOf } from "#conversation";
import { defined } from "#foundation/defined";
import { postJson } from "#foundation/http/ask";
import type { Secret } from "#foundation/secrets/secret";
import { keyCredential, noCredential } from "../credentials/scoped.ts";
import { scopeOf } from "../providers/hosts.ts";
import type { ModelRequest } from "../request.ts";
import type { Target } from "../target.ts";

/** A Hermes elsewhere that does turns, by its HTTP API. */
export interface RemoteHermes {
  /** Its address, with or without `/v1`. */
  readonly url: string;
  readonly key: Secret | undefined;
}

/** A turn may take long before anything is heard of it. */
const readMs = 1_800_000;
const wholeTurnMs = 86_400_000;

function addressOf({ url }: RemoteHermes): string {
  return `${url.replace(/\/+$/u, "").replace(/\/v1$/u, "")}/v1`;
}

/**
 * Hands that Hermes what a person answered to something it asks in a turn of this session. Undefined: it was not reached;
 * false: it does not take it.
 */
export async function answerRemote(
  remote: RemoteHermes,
  { sessionId, input }: { readonly sessionId: string; readonly input: unknown },
  signal: AbortSignal,
): Promise<boolean | undefined> {
  const url = `${addressOf(remote)}/sessions/${encodeURIComponent(sessionId)}/inputs`;
  const headers = remote.key === undefined ? undefined : { authorization: `Bearer ${remote.key.reveal()}` };
  const answer = await postJson(url, input, { ...defined({ headers }), signal });
  if (answer.kind === "unreachable" || answer.status >= 500) return undefined;
  return answer.status < 300;
}

/** That Hermes as a target like any other. It keeps a conversation of its own under the id of ours. */
export function remoteHermesTarget(remote: RemoteHermes, sessionId: string): Target {
  const { key } = remote;
  const baseUrl = addressOf(remote);
  const scope = scopeOf(baseUrl);
  const allowedHosts = scope === undefined ? [] : [scope];
  const source = "env:GATEWAY_PROXY_KEY";
  return {
    provider: "remote-hermes",
    providerLabel: "The Hermes that does the work",
    model: "hermes-agent",
    protocol: "chat_completions",
    baseUrl,
    query: {},
    headers: { "X-Hermes-Session-Id": sessionId, "X-Hermes-Events": "1" },
    credential:
      key === undefined
        ? noCredential
        : keyCredential({ id: "gateway-proxy", source, scheme: { kind: "bearer" }, allowedHosts, secret: key }),
    quirks: { supportsImages: true, cacheMarks: "none", outputLimitField: "none", workEvent: "hermes.event" },
    // It keeps its context within bounds itself.
    limits: { contextWindow: 1_000_000_000, windowSource: "the Hermes that does the work" },
    timeouts: { connectMs: 30_000, totalMs: wholeTurnMs, streamReadMs: readMs, streamStaleMs: 0, wholeStaleMs: 0 },
    isLocal: false,
    source: "gateway.proxy_url",
  };
}

/** What was said before goes along in words; images only with the message that brought them. */
export function withTextHistory(request: ModelRequest): ModelRequest {
  const last = request.messages.length - 1;
  const messages = request.messages.map((message, index) => {
    if (index === last || message.role !== "user") return message;
    const { sent, ...words } = message;
    return { ...words, content: textOf(sent?.content ?? message.content) };
  });
  return { ...request, messages };
}
