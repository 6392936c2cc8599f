import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { errors, type Page } from "playwright-core";
import { Scope } from "#foundation/lifecycle/disposal";
import { openChromium, serve } from "../test/e2e/support/dashboard.ts";
import { importLongSession } from "../test/e2e/support/long-session.ts";
import { root, Stage } from "../test/e2e/support/stage.ts";

/**
 * The page of the dashboard beside deep-chat, a chat page from npm, in the same Chromium: what is loaded first, when something is to be
 * seen and when one can write, and how long the main thread works for a stream of 200 tokens a second and for opening 10,000 messages.
 * Figures are of one run; compare them with each other only.
 */
const other = "deep-chat@2.4.2";
const loads = 5;
const tokens = 1000;
const tokenMs = 5;
const messages = 10_000;
const lastWords = "That is all.";

interface Figures {
  readonly bytes: number;
  readonly paintMs: number;
  readonly usableMs: number;
  readonly streamMs: number;
  readonly longMs: number;
  readonly longTaskMs: number;
}

const piece = (index: number): string => (index % 40 === 39 ? "\n\n- " : index % 9 === 0 ? "**word** " : "word ");

/** Calls back at the pace of the stream, by the clock: a late timer sends several. */
function stream(send: (text: string) => void, end: () => void): void {
  const startMs = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    const due = Math.min(tokens, Math.floor((performance.now() - startMs) / tokenMs));
    for (; sent < due; sent += 1) send(piece(sent));
    if (sent < tokens) return;
    clearInterval(timer);
    send(lastWords);
    end();
  }, tokenMs);
}

function answerAsModel(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const frame = (choices: readonly object[], more: object = {}): void =>
    void response.write(
      `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices, ...more })}\n\n`,
    );
  stream(
    (content) => frame([{ index: 0, delta: { content }, finish_reason: null }]),
    () => {
      frame([{ index: 0, delta: {}, finish_reason: "stop" }]);
      frame([], { usage: { prompt_tokens: 10, completion_tokens: tokens, total_tokens: tokens + 10 } });
      response.end("data: [DONE]\n\n");
    },
  );
}

const otherPage = `<!doctype html><html lang="en"><meta charset="utf-8"><title>deep-chat</title>
<script type="module" src="deepChat.bundle.js"></script><script type="module" src="page.js"></script>
<deep-chat style="width: 100%; height: 90vh"></deep-chat></html>`;
const otherScript = `
const chat = document.querySelector("deep-chat");
chat.connect = { stream: true, handler: async (_body, signals) => {
  signals.onOpen();
  const reader = (await fetch("stream")).body.pipeThrough(new TextDecoderStream()).getReader();
  for (let got = await reader.read(); !got.done; got = await reader.read()) signals.onResponse({ text: got.value });
  signals.onClose();
} };
if (location.search === "?long") chat.history = await (await fetch("history.json")).json();
`;

/** The other page, with what it needs of a server. */
async function serveOther(scope: Scope): Promise<{ readonly url: string; readonly bytes: number }> {
  const folder = await mkdtemp(path.join(tmpdir(), "hermes-bench-dashboard-"));
  scope.defer(() => rm(folder, { recursive: true, force: true }));
  await promisify(execFile)("npm", ["install", "--ignore-scripts", "--no-save", other], { cwd: folder });
  const script = await readFile(path.join(folder, "node_modules/deep-chat/dist/deepChat.bundle.js"));
  const history = Array.from({ length: messages }, (_, index) =>
    index % 2 === 0
      ? { role: "user", text: `Question ${index}` }
      : { role: "ai", text: `Answer ${index}.\n${"- point of **it**\n".repeat(index % 7)}` },
  );
  const files: Readonly<Record<string, readonly [string, string | Buffer]>> = {
    "/": ["text/html", otherPage],
    "/page.js": ["text/javascript", otherScript],
    "/deepChat.bundle.js": ["text/javascript", script],
    "/history.json": ["application/json", JSON.stringify(history)],
  };
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    if (pathname === "/stream") {
      stream(
        (text) => void response.write(text),
        () => void response.end(),
      );
      return;
    }
    const [type, body] = files[pathname] ?? ["text/plain", ""];
    response.writeHead(200, { "content-type": type }).end(body);
  });
  const port = await new Promise<number>((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)),
  );
  scope.defer(() => void server.close());
  const first = [otherPage, otherScript, script].map((body) => gzipSync(body).length);
  return { url: `http://127.0.0.1:${port}/`, bytes: first.reduce((sum, one) => sum + one, 0) };
}

async function startModel(scope: Scope): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    if (request.method === "POST") answerAsModel(response);
    else response.writeHead(404).end();
  });
  const port = await new Promise<number>((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)),
  );
  scope.defer(() => void server.close());
  return `http://127.0.0.1:${port}/v1`;
}

async function ownBytes(): Promise<number> {
  const folder = path.join(root, "dist", "dashboard-page");
  const script = await readFile(path.join(folder, "main.js"), "utf8");
  const chunks = [...script.matchAll(/from"\.\/([\w-]+\.js)"/g)].map(([, name]) => name ?? "");
  const files = ["index.html", "main.js", "main-style.css", "icon.svg", ...chunks];
  const sizes = await Promise.all(files.map(async (name) => gzipSync(await readFile(path.join(folder, name))).length));
  return sizes.reduce((sum, one) => sum + one, 0);
}

const median = (values: readonly number[]): number =>
  [...values].sort((left, right) => left - right)[values.length >> 1] ?? 0;

const observeTasks = `(() => {
  globalThis.longest = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) globalThis.longest = Math.max(globalThis.longest, duration);
  }).observe({ type: "longtask", buffered: false });
})()`;

/** Notes the frame in which the field is there; a locator looks too seldom for that. */
const observeField = (field: string): string => `(() => {
  const look = () => {
    const [host, inner] = ${JSON.stringify(field.split(" "))};
    const found = document.querySelector(host);
    if (inner === undefined ? found : found?.shadowRoot?.querySelector(inner)) globalThis.usableMs = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})()`;

/** How long the main thread works while something is done, and the longest it works at a stretch. */
async function worked(
  page: Page,
  work: () => Promise<unknown>,
): Promise<{ readonly sumMs: number; readonly longestMs: number }> {
  const client = await page.context().newCDPSession(page);
  await client.send("Performance.enable");
  const busyMs = async (): Promise<number> => {
    const { metrics } = await client.send("Performance.getMetrics");
    return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0) * 1000;
  };
  await page.addInitScript(observeTasks);
  await page.evaluate(observeTasks);
  const before = await busyMs();
  await work();
  const sumMs = (await busyMs()) - before;
  return { sumMs, longestMs: await page.evaluate<number>("globalThis.longest") };
}

interface Subject {
  readonly bytes: number;
  readonly url: string;
  /** Where it is seen that one can write. */
  readonly field: string;
  ask(page: Page): Promise<void>;
  openLong(page: Page): Promise<unknown>;
}

async function measure(scope: Scope, { bytes, url, field, ask, openLong }: Subject): Promise<Figures> {
  const context = await openChromium(scope);
  const paints: number[] = [];
  const usable: number[] = [];
  for (let load = 0; load < loads; load += 1) {
    const page = await context.newPage();
    await page.addInitScript(observeField(field));
    await page.goto(url);
    await page.locator(field).first().waitFor();
    usable.push(await page.evaluate<number>("globalThis.usableMs"));
    const paint = await page.evaluate<number>(
      `performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0`,
    );
    paints.push(paint);
    await page.close();
  }
  const page = await context.newPage();
  await page.goto(url);
  await page.locator(field).first().waitFor();
  const streaming = await worked(page, async () => {
    await ask(page);
    await page.getByText(lastWords).first().waitFor({ timeout: 120_000 });
  });
  const never = { sumMs: Number.POSITIVE_INFINITY, longestMs: Number.POSITIVE_INFINITY };
  const long = await worked(page, () => openLong(page)).catch((error: unknown) => {
    if (error instanceof errors.TimeoutError) return never;
    throw error;
  });
  return {
    bytes,
    paintMs: median(paints),
    usableMs: median(usable),
    streamMs: streaming.sumMs,
    longMs: long.sumMs,
    longTaskMs: long.longestMs,
  };
}

await using scope = new Scope();
const baseUrl = await startModel(scope);
const config = [
  `model: { provider: custom, default: m, base_url: "${baseUrl}", context_length: 128000 }`,
  "auxiliary: { title_generation: { enabled: false } }",
].join("\n");
const stage = scope.adopt(await Stage.open({ config }));
const id = await importLongSession(stage, messages);
const { url } = await serve(stage);
const own = await measure(scope, {
  bytes: await ownBytes(),
  url,
  field: "textarea",
  ask: async (page) => {
    await page.getByLabel("Message", { exact: true }).fill("go");
    await page.getByLabel("Message", { exact: true }).press("Enter");
  },
  openLong: async (page) => {
    await page.goto(`${new URL(url).origin}/#/chat/${id}`);
    await page.getByText(`Answer ${messages - 1}.`).waitFor({ timeout: 120_000 });
  },
});
const { url: otherUrl, bytes: otherBytes } = await serveOther(scope);
const theirs = await measure(scope, {
  bytes: otherBytes,
  url: otherUrl,
  field: "deep-chat #text-input",
  ask: async (page) =>
    void (await page.evaluate(`document.querySelector("deep-chat").submitUserMessage({ text: "go" })`)),
  openLong: async (page) => {
    // Its history is read when the page is; what an empty page costs is in this figure, too.
    await page.goto(`${otherUrl}?long`);
    await page
      .getByText(`Answer ${messages - 1}.`)
      .first()
      .waitFor({ state: "attached", timeout: 120_000 });
  },
});

const rows: readonly (readonly [string, keyof Figures, string])[] = [
  ["first load, gzipped", "bytes", "bytes"],
  ["first paint", "paintMs", "ms"],
  ["ready to write", "usableMs", "ms"],
  [`main thread, ${tokens} tokens at ${1000 / tokenMs}/s`, "streamMs", "ms"],
  [`main thread, opening ${messages} messages`, "longMs", "ms"],
  ["the longest it is blocked meanwhile", "longTaskMs", "ms"],
];
const line = (words: readonly string[]): void =>
  console.log(words.map((word, index) => (index === 0 ? word.padEnd(44) : word.padStart(16))).join(""));
line(["", "hermes", other]);
const figure = (value: number, unit: string): string =>
  Number.isFinite(value) ? `${Math.round(value)} ${unit}` : "not in 120 s";
for (const [name, key, unit] of rows) line([name, figure(own[key], unit), figure(theirs[key], unit)]);
