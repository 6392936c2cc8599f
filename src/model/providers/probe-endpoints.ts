import { httpRequest } from "#foundation/http/request";
import type { CredentialHandle } from "../credential-handle.ts";

export interface ProbeFacts {
  readonly baseUrls: readonly string[];
  /** Refuses addresses it does not belong to. */
  readonly credential: CredentialHandle;
  readonly model: string;
}

const timeoutMs = 8_000;

/**
 * Tries which address of a service a key works at, with a request of one token. Meant for set-up and
 * repair: a chat never starts with it. The credential itself refuses any other host.
 */
export async function probeEndpoints(facts: ProbeFacts, signal: AbortSignal): Promise<string | undefined> {
  for (const baseUrl of facts.baseUrls) {
    const url = new URL(`${baseUrl}/chat/completions`);
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({
      model: facts.model,
      max_tokens: 1,
      stream: false,
      messages: [{ role: "user", content: "ping" }],
    });
    const authorized = await facts.credential.authorize({ method: "POST", url, headers, body }, signal);
    const response = await httpRequest(url, {
      method: "POST",
      headers: { ...headers, ...authorized },
      body,
      signal,
      timeoutMs,
      maxBodyBytes: 100_000,
      redirect: "error",
    });
    signal.throwIfAborted();
    if (response.kind === "failure") continue;
    await response.discard();
    if (response.status === 200) return baseUrl;
  }
  return undefined;
}
