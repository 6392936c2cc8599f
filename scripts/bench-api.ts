import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";

/**
 * What the HTTP API adds to the model's own time, with the built program: the first piece of text, and the whole stream,
 * compared with the same requests sent to the model directly; at 1 and at 50 streams. Figures are of one run.
 */
const tokens = 60;
const tokenMs = 15;
const firstMs = 30;
const root = path.join(import.meta.dirname, "..");

interface Stream {
  readonly firstMs: number;
  readonly wholeMs: number;
  /** Longest silence between two pieces. */
  readonly gapMs: number;
  readonly bytes: number;
  readonly events: number;
}

const model = createServer((request, response) => {
  request.resume();
  if (request.method !== "POST") return void response.writeHead(404).end();
  response.writeHead(200, { "content-type": "text/event-stream" });
  const chunk = (delta: object, finish: string | null = null): void =>
    void response.write(
      `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`,
    );
  let sent = 0;
  const next = (): void => {
    if (sent === tokens) {
      chunk({}, "stop");
      response.write(
        'data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[],"usage":{"prompt_tokens":10,"completion_tokens":60,"total_tokens":70}}\n\n',
      );
      return void response.end("data: [DONE]\n\n");
    }
    sent += 1;
    chunk({ content: `word${sent} ` });
    setTimeout(next, tokenMs);
  };
  setTimeout(next, firstMs);
});

async function measure(url: string, body: object): Promise<Stream> {
  const startMs = performance.now();
  const response = await fetch(`${url}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok || response.body === null) throw new Error(`${response.status}: ${await response.text()}`);
  const decoder = new TextDecoder();
  let [first, last, gap, bytes, events] = [Number.NaN, startMs, 0, 0, 0];
  for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
    const text = decoder.decode(piece, { stream: true });
    bytes += piece.byteLength;
    events += text.split("data: ").length - 1;
    if (!text.includes("word")) continue;
    const nowMs = performance.now();
    if (Number.isNaN(first)) first = nowMs - startMs;
    else gap = Math.max(gap, nowMs - last);
    last = nowMs;
  }
  return { firstMs: first, wholeMs: performance.now() - startMs, gapMs: gap, bytes, events };
}

function median(values: readonly number[]): number {
  return [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;
}

async function series(url: string, parallel: number, rounds: number): Promise<readonly Stream[]> {
  const all: Stream[] = [];
  for (let round = 0; round < rounds; round += 1)
    all.push(
      ...(await Promise.all(
        Array.from({ length: parallel }, (_, index) =>
          measure(url, {
            model: "m",
            stream: true,
            messages: [{ role: "user", content: `round ${round} stream ${index}` }],
          }),
        ),
      )),
    );
  return all;
}

const folder = await mkdtemp(path.join(tmpdir(), "hermes-bench-api-"));
await new Promise<void>((resolve) => model.listen(0, "127.0.0.1", () => resolve()));
const modelUrl = `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`;
await writeFile(
  path.join(folder, "config.yaml"),
  `model: { provider: custom, default: m, base_url: "${modelUrl}", context_length: 128000 }\nauxiliary: { title_generation: { enabled: false } }\napi_server: { rate_limit: 0 }\n`,
);
const child = spawn(process.execPath, [path.join(root, "dist/cli/main.js"), "api", "--port", "0", "--json"], {
  cwd: folder,
  env: { PATH: process.env["PATH"], HOME: folder, HERMES_HOME: folder },
  stdio: ["ignore", "pipe", "inherit"],
});
try {
  const url = await new Promise<string>((resolve, reject) => {
    let text = "";
    child.stdout.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      const found = /"url": "([^"]+)"/.exec(text)?.[1];
      if (found !== undefined) resolve(`${found}/v1`);
    });
    child.once("exit", (code) => reject(new Error(`hermes api ended with ${code}`)));
  });
  await series(url, 1, 5);
  for (const [parallel, rounds] of [
    [1, 15],
    [50, 2],
  ] as const) {
    const direct = await series(modelUrl, parallel, rounds);
    const served = await series(url, parallel, rounds);
    const first = (streams: readonly Stream[]) => median(streams.map(({ firstMs: ms }) => ms));
    const whole = (streams: readonly Stream[]) => median(streams.map(({ wholeMs: ms }) => ms));
    const slowest = Math.max(...served.map(({ wholeMs: ms }) => ms));
    const gap = Math.max(...served.map(({ gapMs }) => gapMs));
    console.log(
      `${parallel} streams: first piece +${(first(served) - first(direct)).toFixed(1)} ms, whole stream +${(whole(served) - whole(direct)).toFixed(1)} ms ` +
        `(${whole(direct).toFixed(0)} ms direct), slowest ${slowest.toFixed(0)} ms, longest silence ${gap.toFixed(0)} ms; ` +
        `${(median(served.map(({ bytes }) => bytes)) / tokens).toFixed(0)} bytes and ${(median(served.map(({ events }) => events)) / tokens).toFixed(2)} events per token`,
    );
  }
} finally {
  child.kill("SIGTERM");
  model.closeAllConnections();
  model.close();
  await rm(folder, { recursive: true, force: true });
}
