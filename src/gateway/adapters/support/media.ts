import { isIP } from "node:net";
import type { Fetch } from "#foundation/http/fetch";
import { addressKind, systemResolve } from "#tools";
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
      const target = new URL(next, at);
      if (target.origin !== origin) await refuseInside(target, { from: at, label }, signal);
      at = target;
      continue;
    }
    if (!answer.ok || answer.body === null) throw new Error(`${label} gave status ${answer.status} for the file`);
    return answer.body as AsyncIterable<Uint8Array>;
  }
  throw new Error(`${label} sent the file's reader from one address to the next`);
}

/** A service may send the reader on to where its files lie, but not into the network of this machine, where it was not itself. */
async function refuseInside(
  target: URL,
  { from, label }: { readonly from: URL; readonly label: string },
  signal: AbortSignal,
): Promise<void> {
  const kinds = await kindsOf(target, signal);
  const isInside = kinds.has("private") && !(await kindsOf(from, signal)).has("private");
  if (isInside || kinds.has("metadata"))
    throw new Error(`${label} sent the file's reader to an address inside this network`);
}

/** A name that nobody here knows is left to the proxy, or fails when it is asked for. */
async function kindsOf({ hostname }: URL, signal: AbortSignal): Promise<ReadonlySet<ReturnType<typeof addressKind>>> {
  const host = hostname.replace(/^\[|\]$/gu, "");
  if (isIP(host) !== 0) return new Set([addressKind(host)]);
  const addresses = await systemResolve(host, signal).catch(() => []);
  return new Set(addresses.map((one) => addressKind(one)));
}
