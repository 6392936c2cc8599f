import type { Fetch } from "#foundation/http/fetch";
import type { MediaKind } from "../../platform/inbound.ts";

export function kindOfMime(mimeType: string): MediaKind {
  const [family] = mimeType.split("/");
  if (mimeType === "image/gif") return "animation";
  return family === "image" || family === "video" || family === "audio" ? family : "document";
}

export interface FileRequest {
  readonly label: string;
  readonly url: string;
  /** Credentials; they are not taken along to another origin. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

const mostRedirects = 3;

/** The bytes behind an address of a service. */
export async function openFile(
  send: Fetch,
  { label, url, headers = {} }: FileRequest,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  const { origin } = new URL(url);
  let at = new URL(url);
  for (let redirects = 0; redirects <= mostRedirects; redirects += 1) {
    const answer = await send(at, { headers: at.origin === origin ? headers : {}, signal });
    const next = answer.headers.get("location");
    if (answer.status >= 300 && answer.status < 400 && next !== null) {
      await answer.body?.cancel();
      at = new URL(next, at);
      continue;
    }
    if (!answer.ok || answer.body === null) throw new Error(`${label} gave status ${answer.status} for the file`);
    return answer.body as AsyncIterable<Uint8Array>;
  }
  throw new Error(`${label} sent the file's reader from one address to the next`);
}
