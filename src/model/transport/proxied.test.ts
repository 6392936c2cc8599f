import { createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { systemClock } from "#foundation/time/clock";
import { openProxied } from "./proxied.ts";
import { Watchdog } from "./watchdog.ts";

it("sends through a proxy and reads the answer [20:R1.17]", async () => {
  const asked: string[] = [];
  const origin = createServer((_request, response) => response.end("data: hello\n\n"));
  const proxy = createServer((incoming, outgoing) => {
    asked.push(incoming.url ?? "");
    const target = httpRequest(incoming.url ?? "", { method: incoming.method, headers: incoming.headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(target);
  });
  const listen = async (server: typeof origin): Promise<string> => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const [originUrl, proxyUrl] = [await listen(origin), await listen(proxy)];
  try {
    await using connections = await openProxied({ httpProxy: proxyUrl });
    using watchdog = new Watchdog(systemClock);
    const answer = await connections.post({
      url: new URL(`${originUrl}/v1/x`),
      headers: { "content-type": "application/json" },
      body: "{}",
      signal: new AbortController().signal,
      watchdog,
      limits: { connectMs: 5_000, firstByteMs: 5_000, idleMs: 5_000 },
    });
    const chunks: Uint8Array[] = [];
    for await (const chunk of answer.body) chunks.push(chunk);
    expect(answer.status).toBe(200);
    expect(Buffer.concat(chunks).toString()).toBe("data: hello\n\n");
    expect(asked).toEqual([`${originUrl}/v1/x`]);
    connections.fresh();
  } finally {
    for (const server of [origin, proxy]) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }
});
