import { readFileSync } from "node:fs";
import { createServer, request as forward, type IncomingHttpHeaders, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect } from "node:net";
import path from "node:path";

const fixture = (name: string): string => path.join(import.meta.dirname, "..", "fixtures", "tls", name);

export interface FrontRequest {
  readonly host: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

/**
 * The hosts of the fixture's certificate, on this machine: a proxy that leads every name to a TLS server, which hands
 * requests on to a plain server. A program that is given `env` believes it talks to the real hosts.
 */
export class TlsFront implements AsyncDisposable {
  readonly requests: FrontRequest[] = [];
  /** Where a connection was wanted to, also to hosts that the certificate does not name. */
  readonly tunnels: readonly string[];
  readonly #servers: readonly Server[];
  readonly env: Readonly<Record<string, string>>;

  private constructor(
    servers: readonly Server[],
    proxyPort: number,
    seen: { readonly requests: FrontRequest[]; readonly tunnels: readonly string[] },
  ) {
    this.#servers = servers;
    this.requests = seen.requests;
    this.tunnels = seen.tunnels;
    this.env = { HTTPS_PROXY: `http://127.0.0.1:${proxyPort}`, NODE_EXTRA_CA_CERTS: fixture("certificate.pem") };
  }

  /** `route`: where on the plain server a request goes; undefined is answered with 404. */
  static async open(plainUrl: string, route: (request: FrontRequest) => string | undefined): Promise<TlsFront> {
    const seen: FrontRequest[] = [];
    const tls = createTlsServer(
      { key: readFileSync(fixture("key.pem")), cert: readFileSync(fixture("certificate.pem")) },
      (incoming, outgoing) => {
        const { host = "" } = incoming.headers;
        const asked = { host, path: incoming.url ?? "", headers: incoming.headers };
        seen.push(asked);
        const to = route(asked);
        if (to === undefined) {
          outgoing.writeHead(404, { "content-type": "application/json" }).end('{"error":{"message":"Not Found"}}');
          return;
        }
        const onward = forward(`${plainUrl}${to}`, { method: incoming.method, headers: incoming.headers }, (answer) => {
          outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
          answer.pipe(outgoing);
        });
        incoming.pipe(onward);
      },
    );
    const tlsPort = await listen(tls);
    const proxy = createServer((_incoming, outgoing) => outgoing.writeHead(405).end());
    const tunnels: string[] = [];
    proxy.on("connect", (request, client, head) => {
      tunnels.push(request.url ?? "");
      const upstream = connect(tlsPort, "127.0.0.1", () => {
        client.write("HTTP/1.1 200 Connection established\r\n\r\n");
        upstream.write(head);
        upstream.pipe(client).pipe(upstream);
      });
      for (const [one, other] of [
        [upstream, client],
        [client, upstream],
      ] as const) {
        one.on("error", () => other.destroy());
        one.on("close", () => other.destroy());
      }
    });
    return new TlsFront([tls, proxy], await listen(proxy), { requests: seen, tunnels });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#servers) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}
