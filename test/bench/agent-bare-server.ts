import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { performance } from "node:perf_hooks";

/** What the server says to one request: a tool call, or the last word. */
export type BareReply =
  | { readonly call: string; readonly args: Readonly<Record<string, unknown>> }
  | { readonly text: string };

export interface BareOptions {
  /** How long the model thinks. */
  readonly thinkMs?: number;
  /** Whether bodies are read and parsed for `answer`; timing wants them thrown away. */
  readonly readsBodies?: boolean;
  answer(number: number, body: string): BareReply;
}

/** A chat-completions server that does next to nothing, so that what is measured is the client. */
export interface BareServer extends AsyncDisposable {
  readonly url: string;
  readonly bytes: readonly number[];
  /** From the end of each answer to the arrival of the next request. */
  gaps(): readonly Gap[];
}

export interface Gap {
  readonly wallMs: number;
  /** What this process computed meanwhile; other programs on the machine do not count. */
  readonly cpuMs: number;
}

interface Moment {
  readonly wallMs: number;
  readonly cpuMs: number;
}

function now(): Moment {
  const { user, system } = process.cpuUsage();
  return { wallMs: performance.now(), cpuMs: (user + system) / 1000 };
}

export async function startBareServer(options: BareOptions): Promise<BareServer> {
  const arrived: Moment[] = [];
  const ended: Moment[] = [];
  const bytes: number[] = [];
  const http: Server = createServer((request, response) => {
    arrived.push(now());
    const number = arrived.length;
    const chunks: Buffer[] = [];
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (options.readsBodies === true) chunks.push(chunk);
    });
    request.on("end", () => {
      bytes.push(size);
      const send = (): void => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.end(stream(number, options.answer(number, Buffer.concat(chunks).toString("utf8"))), () => {
          ended.push(now());
        });
      };
      if (options.thinkMs === undefined) send();
      else setTimeout(send, options.thinkMs);
    });
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const { port } = http.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    bytes,
    gaps: () =>
      arrived.slice(1).map((at, index) => {
        const before = ended[index] ?? at;
        return { wallMs: at.wallMs - before.wallMs, cpuMs: at.cpuMs - before.cpuMs };
      }),
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      await new Promise<void>((resolve) => http.close(() => resolve()));
    },
  };
}

function stream(number: number, reply: BareReply): string {
  const base = { id: `chatcmpl-${number}`, object: "chat.completion.chunk", created: 0, model: "bare" };
  const delta =
    "text" in reply
      ? { role: "assistant", content: reply.text }
      : {
          role: "assistant",
          tool_calls: [
            {
              index: 0,
              id: `call_${number}`,
              type: "function",
              function: { name: reply.call, arguments: JSON.stringify(reply.args) },
            },
          ],
        };
  const finish = "text" in reply ? "stop" : "tool_calls";
  const usage = { prompt_tokens: 1000, completion_tokens: 10, total_tokens: 1010 };
  const frames = [
    { ...base, choices: [{ index: 0, delta, finish_reason: null }] },
    { ...base, choices: [{ index: 0, delta: {}, finish_reason: finish }] },
    { ...base, choices: [], usage },
  ];
  return `${frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join("")}data: [DONE]\n\n`;
}
