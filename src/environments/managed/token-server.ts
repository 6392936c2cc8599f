import { httpRequest } from "#foundation/http/request";
import { parseJson } from "#foundation/text/json";

/** Where tokens are sampled. */
export interface TokenServer {
  readonly server_type: string;
  /** `generate`: prompts are sent as ids. `chat`: as messages, and the server tells the ids. */
  readonly token_source: string;
  readonly base_url: string;
  readonly api_key: string;
  /** Seconds. */
  readonly timeout: number;
}

const maxBytes = 64 * 1024 * 1024;

/** What the server answers to a question; undefined where that is no JSON. Whatever else goes wrong is thrown, with its address. */
export async function askServer(
  server: TokenServer,
  { url, body }: { readonly url: string; readonly body: unknown },
  signal: AbortSignal,
): Promise<unknown> {
  const response = await httpRequest(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(server.api_key === "" ? {} : { authorization: `Bearer ${server.api_key}` }),
    },
    body: JSON.stringify(body),
    signal,
    timeoutMs: server.timeout * 1000,
    maxBodyBytes: maxBytes,
  });
  signal.throwIfAborted();
  if (response.kind === "failure") throw new Error(response.failure.message);
  const text = await response.text();
  if (text.kind === "failure") throw new Error(text.failure.message);
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}: ${text.text.slice(0, 300)}`);
  const parsed = parseJson(text.text);
  return parsed.ok ? parsed.value : undefined;
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function numbers(value: unknown): readonly number[] {
  return list(value).filter((one): one is number => typeof one === "number");
}
