import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

type Body = Readonly<Record<string, unknown>>;

/** A model server on this machine that samples from token ids (`/generate`), and answers chats with words when told to. */
export async function openTokenServer(generate: (body: Body) => unknown) {
  let chat: (() => string) | undefined;
  const answer = (url: string | undefined, body: Body): unknown => {
    if (url === "/generate") return generate(body);
    if (url?.endsWith("/chat/completions") !== true || chat === undefined) return undefined;
    const message = { role: "assistant", content: chat() };
    return { id: "c", object: "chat.completion", model: "m", choices: [{ index: 0, message, finish_reason: "stop" }] };
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString();
      const said = answer(request.url, text === "" ? {} : (JSON.parse(text) as Body));
      response.writeHead(said === undefined ? 404 : 200, { "content-type": "application/json" });
      response.end(JSON.stringify(said ?? { error: "not here" }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    /** What a chat is answered with. */
    onChat(words: () => string): void {
      chat = words;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
