import type { AuthProvider, Transport } from "@modelcontextprotocol/client";
import { defined } from "#foundation/defined";
import { HttpClient } from "#foundation/http/client";
import { fetchOver } from "#foundation/http/fetch";
import type { McpEndpoint } from "../../contract/mcp-settings.ts";

export type HttpEndpoint = Extract<McpEndpoint, { readonly kind: "http" | "sse" }>;

/**
 * A transport to a server elsewhere, through the proxy of the environment where there is one. Redirects to another
 * origin are not followed: configured headers and tokens belong to the address the person wrote down.
 */
export async function httpTransport(
  endpoint: HttpEndpoint,
  kind: "http" | "sse",
  authProvider: AuthProvider | undefined,
): Promise<Transport> {
  const library = await import("@modelcontextprotocol/client");
  // `ssl_verify: false` is for a server of the person's own with a certificate nobody signed.
  const client = new HttpClient({ tls: endpoint.verifyTls ? undefined : { rejectUnauthorized: false } });
  const options = {
    requestInit: { headers: { ...endpoint.headers } },
    redirectPolicy: "same-origin" as const,
    fetch: fetchOver(client),
    ...defined({ authProvider }),
  };
  const url = new URL(endpoint.url);
  if (kind === "sse") return new library.SSEClientTransport(url, options);
  return new library.StreamableHTTPClientTransport(url, options);
}
