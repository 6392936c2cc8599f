import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { never } from "../lifecycle/abort.ts";
import { HttpClient } from "./client.ts";
import { findProxyProblems, HttpBodyError, type HttpRequestOptions, httpRequest, proxyFromEnv } from "./request.ts";

let server: Server | undefined;

afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)));
  server = undefined;
});

/** A server on the loopback interface; gives its address. */
async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const started = createServer(answer);
  server = started;
  await new Promise<void>((resolve) => started.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(started.address() as AddressInfo).port}`;
}

const options: HttpRequestOptions = { signal: never, timeoutMs: 5_000, maxBodyBytes: 100_000, proxy: false };

async function textOf(url: string, extra: Partial<HttpRequestOptions> = {}): Promise<string> {
  const result = await httpRequest(url, { ...options, ...extra });
  if (result.kind === "failure") throw new Error(result.failure.message);
  const body = await result.text();
  if (body.kind === "failure") throw new Error(body.failure.message);
  return body.text;
}

async function failureOf(url: string, extra: Partial<HttpRequestOptions> = {}) {
  const result = await httpRequest(url, { ...options, ...extra });
  if (result.kind === "failure") return result.failure;
  const body = await result.text();
  return body.kind === "failure" ? body.failure : undefined;
}

describe("an exchange", () => {
  test("sends method, headers and body, and gives status, headers and text", async () => {
    const base = await serve((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        response.writeHead(418, { "x-answer": "yes" });
        response.end(`${request.method} ${request.url} ${request.headers["x-ask"]} ${Buffer.concat(chunks)}`);
      });
    });
    const result = await httpRequest(`${base}/a?b=1`, {
      ...options,
      method: "POST",
      headers: { "X-Ask": "1" },
      body: "grün",
    });
    if (result.kind === "failure") throw new Error(result.failure.message);
    expect([result.status, result.headers["x-answer"]]).toEqual([418, "yes"]);
    expect(await result.text()).toEqual({ kind: "text", text: "POST /a?b=1 1 grün" });
  });

  test("a body can be read as it comes", async () => {
    const base = await serve((_, response) => {
      response.write("one");
      setImmediate(() => response.end("two"));
    });
    const result = await httpRequest(base, options);
    if (result.kind === "failure") throw new Error(result.failure.message);
    const parts: string[] = [];
    for await (const part of result.body) parts.push(Buffer.from(part).toString());
    expect(parts.join("")).toBe("onetwo");
  });

  test("an answer without a body is empty text", async () => {
    const base = await serve((_, response) => response.writeHead(204).end());
    expect(await textOf(base)).toBe("");
  });

  test("a response that is disposed gives its connection back", async () => {
    let closed: (() => void) | undefined;
    const isClosed = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const base = await serve((_, response) => {
      response.on("close", () => closed?.());
      response.write("x".repeat(100));
    });
    {
      const result = await httpRequest(base, options);
      if (result.kind === "failure") throw new Error(result.failure.message);
      await using _response = result;
    }
    await isClosed;
  });
});

describe("a caller's own pool, or a long patience", () => {
  test("carries headers, text and forms like the usual way", async () => {
    const base = await serve((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => response.end(`${request.headers["x-ask"]}|${Buffer.concat(chunks)}`));
    });
    await using client = new HttpClient({ proxy: false, keepsConnections: true });
    const form = new FormData();
    form.set("field", "grün");
    form.set("file", new Blob(["bytes"]), "a.txt");
    const headers = { "x-ask": "1" };
    for (const way of [{}, { client }, { timeoutMs: 1_800_000 }]) {
      expect(await textOf(base, { ...way, method: "POST", headers, body: "plain" })).toBe("1|plain");
      expect(await textOf(base, { ...way, method: "POST", headers, body: new URLSearchParams({ a: "1 2" }) })).toBe(
        "1|a=1+2",
      );
      const sent = await textOf(base, { ...way, method: "POST", headers, body: form });
      expect(sent).toContain('name="field"\r\n\r\ngrün');
      expect(sent).toContain('filename="a.txt"');
    }
  });
});

describe("redirects", () => {
  const away = (_: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(302, { location: "http://127.0.0.1:9/stolen" });
    response.end();
  };

  test("are shown, never followed, so that credentials stay where they belong", async () => {
    const base = await serve(away);
    const result = await httpRequest(base, { ...options, headers: { authorization: "Bearer abc" } });
    expect(result).toMatchObject({ kind: "response", status: 302 });
  });

  test("are a failure when asked for", async () => {
    const base = await serve(away);
    expect(await failureOf(base, { redirect: "error" })).toMatchObject({
      kind: "connection",
      code: "unexpected_redirect",
    });
  });
});

describe("failures", () => {
  test("a server that does not listen", async () => {
    const base = await serve(() => undefined);
    await new Promise((resolve) => server?.close(resolve));
    server = undefined;
    expect(await failureOf(`${base}/x?key=secret`)).toMatchObject({ kind: "connection", code: "ECONNREFUSED" });
  });

  test("a server that never answers", async () => {
    const base = await serve(() => undefined);
    expect(await failureOf(base, { timeoutMs: 50 })).toMatchObject({ kind: "timeout" });
  });

  test("a body that stops coming", async () => {
    const base = await serve((_, response) => void response.write("part"));
    expect(await failureOf(base, { timeoutMs: 80 })).toMatchObject({ kind: "timeout" });
  });

  test("a body that drips on beyond the total time", async () => {
    const base = await serve((_, response) => {
      const timer = setInterval(() => response.write("."), 10);
      response.on("close", () => clearInterval(timer));
    });
    expect(await failureOf(base, { timeoutMs: 5_000, totalTimeoutMs: 120 })).toMatchObject({ kind: "timeout" });
  });

  test("a body that keeps coming is not cut by the time for silence", async () => {
    const base = await serve((_, response) => {
      let count = 0;
      const timer = setInterval(() => {
        response.write(".");
        count += 1;
        if (count < 12) return;
        clearInterval(timer);
        response.end();
      }, 40);
    });
    expect(await textOf(base, { timeoutMs: 400 })).toBe("............");
  });

  test("a body that is cut off", async () => {
    const base = await serve((_, response) => {
      response.writeHead(200, { "content-length": "1000" });
      response.write("part");
      setImmediate(() => response.destroy());
    });
    expect(await failureOf(base)).toMatchObject({ kind: "connection" });
  });

  test("a body that is too large", async () => {
    const base = await serve((_, response) => response.end("x".repeat(2_000)));
    expect(await failureOf(base, { maxBodyBytes: 1_999 })).toMatchObject({ kind: "too-large" });
    expect(await textOf(base, { maxBodyBytes: 2_000 })).toHaveLength(2_000);
  });

  test("a stream reader learns of a failure as an error that carries it", async () => {
    const base = await serve((_, response) => response.end("x".repeat(2_000)));
    const result = await httpRequest(base, { ...options, maxBodyBytes: 10 });
    if (result.kind === "failure") throw new Error(result.failure.message);
    const reading = (async () => {
      for await (const _ of result.body);
    })();
    await expect(reading).rejects.toBeInstanceOf(HttpBodyError);
  });

  test("an abort before, while waiting, and while reading", async () => {
    const controllers = [new AbortController(), new AbortController()] as const;
    let asked: (() => void) | undefined;
    const base = await serve((request, response) => {
      if (request.url === "/body") response.write("part");
      asked?.();
    });
    expect(await failureOf(base, { signal: AbortSignal.abort("x") })).toMatchObject({ kind: "aborted" });
    asked = () => controllers[0].abort("x");
    expect(await failureOf(base, { signal: controllers[0].signal })).toMatchObject({ kind: "aborted" });
    asked = undefined;
    const result = await httpRequest(`${base}/body`, { ...options, signal: controllers[1].signal });
    if (result.kind === "failure") throw new Error(result.failure.message);
    const text = result.text();
    controllers[1].abort("x");
    expect(await text).toMatchObject({ kind: "failure", failure: { kind: "aborted" } });
  });

  test.each(["nonsense", "ftp://x.test/", "http://user:pw@x.test/", "file:///etc/passwd", ""])(
    "the address %j is refused",
    async (url) => {
      const failure = await failureOf(url);
      expect(failure?.kind).toBe("invalid-url");
      expect(failure?.message).not.toContain("pw");
    },
  );

  test("a key with a character HTTP does not allow is named by its header, not shown", async () => {
    const failure = await failureOf("http://127.0.0.1:9/", {
      headers: { authorization: "Bearer sk-secret\n" + "x\u0100" },
    });
    expect(failure).toMatchObject({ kind: "invalid-request", code: "invalid_header" });
    expect(JSON.stringify(failure)).not.toContain("sk-secret");
    expect(failure?.message).toContain("authorization");
  });

  test("a plain server behind an https address is a failure of trust", async () => {
    const base = await serve((_, response) => response.end("x"));
    expect(await failureOf(base.replace("http:", "https:"))).toMatchObject({ kind: "tls" });
  });

  test("messages tell the host and path, never the query", async () => {
    const base = await serve(() => undefined);
    const failure = await failureOf(`${base}/v1/models?key=secret`, { timeoutMs: 30 });
    expect(failure?.message).toContain("/v1/models");
    expect(failure?.message).not.toContain("secret");
  });
});

describe("proxies", () => {
  test("a request goes through the proxy, and hosts on the list go directly", async () => {
    const seen: string[] = [];
    const base = await serve((request, response) => {
      seen.push(`${request.method} ${request.url}`);
      response.end("from the proxy");
    });
    const proxy = { httpProxy: base, noProxy: "direct.test" };
    expect(await textOf("http://model.test/v1", { proxy })).toBe("from the proxy");
    expect(seen).toEqual(["GET http://model.test/v1"]);
    expect((await failureOf("http://direct.test/", { proxy }))?.kind).toBe("connection");
  });

  test("https goes through a tunnel that the proxy only carries", async () => {
    const seen: string[] = [];
    const base = await serve((_, response) => response.end("not tls"));
    server?.on("connect", (request, socket) => {
      seen.push(request.url ?? "");
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      socket.once("data", (hello: Buffer) => {
        // 22 is the record type that opens a TLS handshake.
        seen.push(String(hello[0]));
        socket.end("HTTP/1.1 400 Bad Request\r\n\r\n");
      });
    });
    expect((await failureOf("https://model.test/v1", { proxy: { httpsProxy: base } }))?.kind).toBe("tls");
    expect(seen).toEqual(["model.test:443", "22"]);
  });

  test("a proxy that hangs up or refuses is a failure at once, not a hundred attempts", async () => {
    let attempts = 0;
    const base = await serve((_, response) => response.writeHead(407).end());
    server?.on("connect", (request, socket) => {
      attempts += 1;
      if (request.url?.startsWith("refused")) socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
      else socket.destroy();
    });
    const proxy = { httpProxy: base, httpsProxy: base };
    expect((await failureOf("https://model.test/v1", { proxy }))?.kind).toBe("connection");
    expect((await failureOf("https://refused.test/v1", { proxy }))?.kind).toBe("connection");
    expect((await failureOf("http://model.test/v1", { proxy }))?.kind).toBe("connection");
    expect(attempts).toBeLessThan(5);
  });

  test("the own machine is never reached through a proxy", async () => {
    const base = await serve((_, response) => response.end("direct"));
    expect(await textOf(base, { proxy: { httpProxy: "http://127.0.0.1:9" } })).toBe("direct");
  });

  test("the environment names proxies in either case, and the lower case wins", () => {
    expect(proxyFromEnv({})).toBeUndefined();
    expect(proxyFromEnv({ NO_PROXY: "x", HTTPS_PROXY: " " })).toBeUndefined();
    expect(proxyFromEnv({ HTTPS_PROXY: "http://a:1", https_proxy: "http://b:1", NO_PROXY: "x" })).toEqual({
      httpsProxy: "http://b:1",
      noProxy: "x",
    });
    expect(proxyFromEnv({ ALL_PROXY: "http://a:1" })).toEqual({ httpProxy: "http://a:1", httpsProxy: "http://a:1" });
  });

  test("[20:R7.16] a malformed proxy is reported by name, without its value", async () => {
    const env = { HTTPS_PROXY: "user:secret@proxy", HTTP_PROXY: "http://fine.test:3128" };
    expect(findProxyProblems(env).map(({ name }) => name)).toEqual(["HTTPS_PROXY"]);
    expect(JSON.stringify(findProxyProblems(env))).not.toContain("secret");
    const failure = await failureOf("https://x.test/", { proxy: { httpsProxy: env.HTTPS_PROXY } });
    expect(failure).toMatchObject({ kind: "invalid-request", code: "proxy_invalid" });
  });
});
