import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { never, sleep } from "#foundation/lifecycle/abort";

/** A model that answers at once and keeps nothing of what it was asked: ten thousand requests are a gigabyte. */
export interface LightModel extends AsyncDisposable {
  readonly chatBaseUrl: string;
  /** How often it was asked. */
  requests(): number;
  /** From now on it says so many words, one after the other with this much time between them. */
  speak(words: number, everyMs: number): void;
}

export async function startLightModel(): Promise<LightModel> {
  let requests = 0;
  let [words, everyMs] = [1, 0];
  const server = createServer((request, response) => {
    request.resume();
    request.once("end", () => {
      if (request.url?.endsWith("/chat/completions") !== true) return void json(response, { data: [] });
      requests += 1;
      void answer(response, words, everyMs);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    chatBaseUrl: `http://127.0.0.1:${port}/v1`,
    requests: () => requests,
    speak(count, waitMs) {
      [words, everyMs] = [count, waitMs];
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function json(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
}

async function answer(response: ServerResponse, words: number, everyMs: number): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const common = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "test-model" };
  const chunk = (delta: object, more: object = {}, end: string | null = null): void =>
    void response.write(
      `data: ${JSON.stringify({ ...common, choices: [{ index: 0, delta, finish_reason: end }], ...more })}\n\n`,
    );
  chunk({ role: "assistant" });
  for (let word = 0; word < words; word += 1) {
    if (everyMs > 0) await sleep(everyMs, never);
    chunk({ content: `word${word} ` });
  }
  chunk({}, {}, "stop");
  const usage = { prompt_tokens: 10, completion_tokens: words, total_tokens: 10 + words };
  response.end(`data: ${JSON.stringify({ ...common, choices: [], usage })}\n\ndata: [DONE]\n\n`);
}
