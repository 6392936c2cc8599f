import type { HttpClient } from "./client.ts";

/** The part of fetch that libraries use. */
export type Fetch = (url: string | URL, init?: FetchInit) => Promise<Response>;

export interface FetchInit extends RequestInit {
  /** The only addresses the connection may go to, whatever the name of the host says. */
  readonly addresses?: readonly string[] | undefined;
}

/** The client in the shape of fetch, for libraries that take one. Redirects are answered, not followed. */
export function fetchOver(client: HttpClient): Fetch {
  return async (url, init = {}) => {
    const { signal, method = "GET" } = init;
    const headers = new Headers(init.headers);
    const body = await bytesOf(init.body, headers);
    if (!headers.has("accept-encoding")) headers.set("accept-encoding", "gzip, deflate, br");
    try {
      const answer = await client.send({
        method,
        url: new URL(url),
        headers: Object.fromEntries(headers),
        body,
        addresses: init.addresses,
        signals: signal === undefined || signal === null ? [] : [signal],
      });
      const isEmpty = [204, 205, 304].includes(answer.status);
      if (isEmpty) await answer.release();
      // The bytes are unpacked already.
      const { "content-encoding": _encoding, "content-length": _length, ...rest } = answer.headers;
      return new Response(isEmpty ? null : streamOf(answer), { status: answer.status, headers: rest });
    } catch (error) {
      signal?.throwIfAborted();
      throw new TypeError("fetch failed", { cause: error });
    }
  };
}

async function bytesOf(body: RequestInit["body"], headers: Headers): Promise<string | Uint8Array | undefined> {
  if (body === undefined || body === null) return undefined;
  if (typeof body === "string") return body;
  const encoded = new Response(body);
  const type = encoded.headers.get("content-type");
  if (type !== null && !headers.has("content-type")) headers.set("content-type", type);
  return new Uint8Array(await encoded.arrayBuffer());
}

function streamOf(answer: Awaited<ReturnType<HttpClient["send"]>>): ReadableStream<Uint8Array> {
  const bytes = answer.body[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await bytes.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    cancel: () => answer.destroy(),
  });
}
