import { HttpBodyError, httpRequest } from "#foundation/http/request";
import type { AudioFormat, Speech } from "./provider.ts";

const maxAudioBytes = 50_000_000;
const timeoutMs = 120_000;

export type AudioBytes =
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | { readonly kind: "failed"; readonly reason: string };

/** Posts JSON and reads whatever bytes come back. */
export async function postForBytes(
  url: string,
  json: unknown,
  how: { readonly headers: Readonly<Record<string, string>>; readonly signal: AbortSignal },
): Promise<AudioBytes> {
  const response = await httpRequest(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...how.headers },
    body: JSON.stringify(json),
    signal: how.signal,
    timeoutMs,
    maxBodyBytes: maxAudioBytes,
    redirect: "error",
  });
  how.signal.throwIfAborted();
  if (response.kind === "failure") return { kind: "failed", reason: response.failure.message };
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of response.body) chunks.push(chunk);
  } catch (error) {
    if (!(error instanceof HttpBodyError)) throw error;
    how.signal.throwIfAborted();
    return { kind: "failed", reason: error.failure.message };
  }
  const bytes = Buffer.concat(chunks);
  if (response.status >= 400)
    return { kind: "failed", reason: `HTTP ${response.status}: ${bytes.toString().slice(0, 200)}` };
  return { kind: "bytes", bytes };
}

export function asSpeech(answer: AudioBytes, format: AudioFormat): Speech {
  if (answer.kind === "failed") return answer;
  if (answer.bytes.byteLength === 0) return { kind: "failed", reason: "the service returned no sound" };
  return { kind: "audio", bytes: answer.bytes, format };
}
