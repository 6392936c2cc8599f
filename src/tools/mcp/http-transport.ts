import type { AuthProvider, FetchLike, Transport } from "@modelcontextprotocol/client";
import type { McpEndpoint } from "./settings.ts";

export type HttpEndpoint = Extract<McpEndpoint, { readonly kind: "http" | "sse" }>;

/**
 * A transport to a server elsewhere. Redirects to another origin are not followed: configured headers
 * and tokens belong to the address the person wrote down.
 */
export async function httpTransport(
  endpoint: HttpEndpoint,
  kind: "http" | "sse",
  authProvider: AuthProvider | undefined,
): Promise<Transport> {
  const library = await import("@modelcontextprotocol/client");
  const options = {
    requestInit: { headers: { ...endpoint.headers } },
    redirectPolicy: "same-origin" as const,
    ...(authProvider === undefined ? {} : { authProvider }),
    ...(endpoint.verifyTls ? {} : { fetch: await unverifiedFetch() }),
  };
  const url = new URL(endpoint.url);
  if (kind === "sse") return new library.SSEClientTransport(url, options);
  return new library.StreamableHTTPClientTransport(url, options);
}

/** For `ssl_verify: false`: a server of the person's own with a certificate nobody signed. */
async function unverifiedFetch(): Promise<FetchLike> {
  const { Agent, fetch } = await import("undici");
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
  return async (url, init) => {
    const response = await fetch(url, { ...(init as Parameters<typeof fetch>[1]), dispatcher });
    return response as unknown as Response;
  };
}
