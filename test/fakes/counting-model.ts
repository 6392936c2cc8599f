import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { requestText } from "./wandb.ts";

type Json = Readonly<Record<string, unknown>>;

/** A chat server that says how many it was asked at once, at most. */
export async function startCountingModel(answerMs: number) {
  const seen = { requests: 0, most: 0 };
  let open = 0;
  const reply = (response: ServerResponse): void => {
    const piece = (delta: Json, finish: string | null) =>
      `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(`${piece({ role: "assistant", content: "4" }, null)}${piece({}, "stop")}data: [DONE]\n\n`);
    open -= 1;
  };
  const server = createServer((request, response) => {
    void requestText(request).then(() => {
      if (request.method !== "POST") {
        response.writeHead(200, { "content-type": "application/json" });
        response.end('{"object":"list","data":[{"id":"m","object":"model"}]}');
        return;
      }
      seen.requests += 1;
      open += 1;
      seen.most = Math.max(seen.most, open);
      setTimeout(() => reply(response), answerMs);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    seen,
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
