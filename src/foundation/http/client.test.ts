import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect } from "node:net";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { startNetworkProxy } from "../../../test/fakes/network-proxy.ts";
import { never } from "../lifecycle/abort.ts";
import { HttpClient, type HttpClientOptions } from "./client.ts";
import { fetchOver } from "./fetch.ts";
import { proxyFor } from "./proxy.ts";

const pem = (name: string): string =>
  readFileSync(path.join(import.meta.dirname, "../../../test/fixtures/tls", name), "utf8");
const certificate = pem("certificate.pem");
const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function listen(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

/** A server that tells what it was asked, over TLS where wanted. */
function origin(isSecure: boolean): Promise<number> {
  const answer = (request: IncomingMessage): string => `${request.method} ${request.headers.host} ${request.url}`;
  return listen(
    isSecure
      ? createTlsServer({ key: pem("key.pem"), cert: certificate }, (request, response) =>
          response.end(answer(request)),
        )
      : createServer((request, response) => response.end(answer(request))),
  );
}

/** A proxy that leads every name to this machine and notes what it was asked for. */
async function startProxy(): Promise<{ readonly port: number; readonly asked: string[] }> {
  const asked: string[] = [];
  const proxy = createServer();
  proxy.on("connect", (request, socket, head) => {
    asked.push(`${request.url} ${request.headers["proxy-authorization"] ?? "-"}`);
    const port = Number(/:(\d+)$/.exec(request.url ?? "")?.[1]);
    const upstream = connect(port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      upstream.write(head);
      upstream.pipe(socket).pipe(upstream);
    });
    for (const end of [upstream, socket]) end.on("error", () => undefined);
    socket.on("close", () => upstream.destroy());
    upstream.on("close", () => socket.destroy());
  });
  return { port: await listen(proxy), asked };
}

async function get(client: HttpClient, url: string, addresses?: readonly string[]): Promise<string> {
  const answer = await client.send({ method: "GET", url: new URL(url), headers: {}, signals: [never], addresses });
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer.body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const open = (options: HttpClientOptions): HttpClient => new HttpClient({ tls: { ca: [certificate] }, ...options });

describe("a request over https behind a proxy", () => {
  it("goes through a tunnel that is kept for the next one; the proxy gets its own login", async () => {
    const port = await origin(true);
    const proxy = await startProxy();
    const httpsProxy = `http://me:p%40ss@127.0.0.1:${proxy.port}`;
    await using client = open({ keepsConnections: true, proxy: { httpsProxy } });
    expect(await get(client, `https://model.test:${port}/one`)).toBe(`GET model.test:${port} /one`);
    expect(await get(client, `https://model.test:${port}/two`)).toBe(`GET model.test:${port} /two`);
    const login = `Basic ${Buffer.from("me:p@ss").toString("base64")}`;
    expect(proxy.asked).toEqual([`model.test:${port} ${login}`]);
    client.fresh();
    await get(client, `https://model.test:${port}/three`);
    expect(proxy.asked).toHaveLength(2);
  });

  it("is refused when the certificate is not the host's, unless nobody checks", async () => {
    const port = await origin(true);
    const proxy = { httpsProxy: `http://127.0.0.1:${(await startProxy()).port}` };
    await using strict = open({ proxy });
    await expect(get(strict, `https://other.test:${port}/`)).rejects.toMatchObject({
      code: "ERR_TLS_CERT_ALTNAME_INVALID",
    });
    await using loose = open({ proxy, tls: { rejectUnauthorized: false } });
    expect(await get(loose, `https://other.test:${port}/`)).toContain("other.test");
  });

  it("ends with its signal while the proxy is silent", async () => {
    const silent = createServer();
    const controller = new AbortController();
    silent.on("connect", (_request, socket) => {
      socket.on("end", () => socket.destroy());
      controller.abort(new Error("enough"));
    });
    await using client = open({ proxy: { httpsProxy: `http://127.0.0.1:${await listen(silent)}` } });
    const request = { method: "GET", url: new URL("https://model.test/"), headers: {} };
    await expect(client.send({ ...request, signals: [controller.signal] })).rejects.toThrow("enough");
  });
});

describe("a request behind a SOCKS proxy", () => {
  it.each([
    { isSecure: true, scheme: "socks5" },
    { isSecure: false, scheme: "socks5h" },
  ])("goes through it, and the proxy looks the name up: $scheme, secure $isSecure", async ({ isSecure, scheme }) => {
    const port = await origin(isSecure);
    await using proxy = await startNetworkProxy({ "model.test": port });
    const address = `${scheme}://me:p%40ss@127.0.0.1:${proxy.port}`;
    await using client = open({ proxy: { httpProxy: address, httpsProxy: address } });
    const url = `${isSecure ? "https" : "http"}://model.test:${port}/one`;
    expect(await get(client, url)).toBe(`GET model.test:${port} /one`);
    expect(proxy.asked).toEqual([`SOCKS model.test:${port}`]);
    expect(proxy.logins).toEqual(["me:p@ss"]);
  });

  it("fails where the proxy knows no such host", async () => {
    await using proxy = await startNetworkProxy({});
    await using client = open({ proxy: { httpProxy: `socks5://127.0.0.1:${proxy.port}` } });
    await expect(get(client, "http://model.test/")).rejects.toThrow();
  });
});

describe("a request with pinned addresses", () => {
  it("goes there whatever the name says, by its own name", async () => {
    await using client = open({ proxy: false, keepsConnections: true });
    for (const isSecure of [false, true]) {
      const port = await origin(isSecure);
      const url = `${isSecure ? "https" : "http"}://model.test:${port}/x`;
      expect(await get(client, url, ["127.0.0.1"])).toBe(`GET model.test:${port} /x`);
    }
  });

  it("is carried to the address by a proxy, which looks nothing up", async () => {
    const port = await origin(true);
    const proxy = await startProxy();
    await using client = open({ proxy: { httpsProxy: `http://127.0.0.1:${proxy.port}` } });
    expect(await get(client, `https://model.test:${port}/`, ["192.0.2.7"])).toContain("model.test");
    expect(proxy.asked).toEqual([`192.0.2.7:${port} -`]);
  });
});

describe("hosts that are reached directly", () => {
  const isDirect = (url: string, noProxy: string): boolean =>
    proxyFor(new URL(url), { httpProxy: "http://p:1", httpsProxy: "http://p:1", noProxy }) === undefined;

  it.each([
    ["https://a.test/", "a.test"],
    ["https://x.a.test/", "a.test"],
    ["https://x.a.test/", ".a.test"],
    ["https://x.a.test/", "*.a.test"],
    ["https://a.test:8443/", "b.test, a.test:8443"],
    ["http://a.test/", "a.test:80"],
    ["http://10.0.0.7/", "10.0.0.7"],
    ["http://[fd00::1]/", "[fd00::1]"],
    ["http://10.1.2.3/", "a.test,10.0.0.0/8"],
    ["https://[fd00::7]/", "fd00::/8"],
    ["https://any.test/", "*"],
  ])("%s with NO_PROXY=%s", (url, list) => expect(isDirect(url, list)).toBe(true));

  it.each([
    ["https://nota.test/", "a.test"],
    ["https://a.test/", "a.test:8443"],
    ["https://a.test.evil/", "a.test"],
    ["https://a.test/", ""],
    ["http://11.1.2.3/", "10.0.0.0/8"],
    ["http://10.1.2.3/", "10.0.0.0/99"],
  ])("not %s with NO_PROXY=%s", (url, list) => expect(isDirect(url, list)).toBe(false));
});

describe("the client in the shape of fetch", () => {
  it("streams, sends what it is given, and leaves redirects to the caller", async () => {
    const seen: string[] = [];
    const port = await listen(
      createServer((request, response) => {
        const chunks: Buffer[] = [];
        request.on("data", (chunk: Buffer) => chunks.push(chunk));
        request.on("end", () => {
          seen.push(`${request.method} ${request.headers["content-type"]} ${Buffer.concat(chunks)}`);
          if (request.url === "/away") response.writeHead(302, { location: "/else" }).end();
          else if (request.url === "/empty") response.writeHead(204).end();
          else response.end("streamed");
        });
      }),
    );
    await using client = open({ proxy: false });
    const send = fetchOver(client);
    const base = `http://127.0.0.1:${port}`;
    const answer = await send(base, { method: "POST", body: new URLSearchParams({ a: "1 2" }) });
    expect([answer.status, await answer.text()]).toEqual([200, "streamed"]);
    expect(seen).toEqual(["POST application/x-www-form-urlencoded;charset=UTF-8 a=1+2"]);
    expect((await send(`${base}/away`)).headers.get("location")).toBe("/else");
    expect((await send(`${base}/empty`)).status).toBe(204);
  });

  it("fails as fetch does: with the reason of the signal, else with a TypeError", async () => {
    await using client = open({ proxy: false });
    const send = fetchOver(client);
    await expect(send("http://127.0.0.1:9/")).rejects.toBeInstanceOf(TypeError);
    const reason = new Error("stopped");
    await expect(send("http://127.0.0.1:9/", { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});
