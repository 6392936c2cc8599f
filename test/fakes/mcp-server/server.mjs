/**
 * A small MCP server over standard streams, written without the library so that it can misbehave.
 * The first argument is a JSON object of what it should do; what it is asked is answered by hand.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

const plan = JSON.parse(process.argv[2] ?? "{}");
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const tool = (name, extra = {}) => ({
  name,
  description: `Does ${name}`,
  inputSchema: { type: "object", properties: {} },
  ...extra,
});
let tools = plan.tools ?? [
  tool("echo"),
  tool("env"),
  tool("fail"),
  tool("hang"),
  tool("crash"),
  tool("add"),
  tool("huge"),
];
const cancelled = [];
let nextId = 1000;
const waiting = new Map();

// A file as a switch that survives restarts: while it is there, the server does not start.
if (plan.failWhile !== undefined && existsSync(plan.failWhile)) process.exit(3);
if (plan.pidFile !== undefined) writeFileSync(plan.pidFile, String(process.pid));
if (plan.stderr !== undefined) process.stderr.write(plan.stderr);
if (plan.ignoreTerm === true) process.on("SIGTERM", () => undefined);
if (plan.definitionFile !== undefined) tools = JSON.parse(readFileSync(plan.definitionFile, "utf8"));

const text = (value) => ({ content: [{ type: "text", text: value }] });

const calls = {
  echo: (args) => text(JSON.stringify(args)),
  env: () => text(JSON.stringify(process.env)),
  fail: () => ({ ...text("denied with Bearer abc and password=hunter2"), isError: true }),
  crash: () => process.exit(1),
  huge: () => text("x".repeat(plan.hugeBytes ?? 2_000_000)),
  broken: () => {
    process.stdout.write('this is not json\n{"half": \n');
    return text("after the noise");
  },
  mixed: () => ({
    content: [
      { type: "text", text: "one" },
      { type: "image", data: Buffer.from("picture").toString("base64"), mimeType: "image/png" },
      { type: "resource", resource: { uri: "note://1", text: "inlined" } },
      { type: "text", text: "two" },
    ],
    structuredContent: { n: 1 },
  }),
  structured: () => ({ content: [], structuredContent: { n: 2 } }),
  cancelled: () => text(JSON.stringify(cancelled)),
  add: () => {
    tools = [...tools, tool("x")];
    send({ method: "notifications/tools/list_changed" });
    send({ method: "notifications/tools/list_changed" });
    return text("added");
  },
};

/** Asks the client something and gives its answer as the result of the call. */
async function ask(method, params) {
  const id = nextId++;
  const answered = new Promise((resolve) => waiting.set(id, resolve));
  send({ id, method, params });
  const answer = await answered;
  return text(JSON.stringify(answer.result ?? answer.error));
}

function sample(args) {
  const messages = [{ role: "user", content: { type: "text", text: "say hi" } }];
  return ask("sampling/createMessage", { maxTokens: 9999, messages, ...args });
}

async function answer(request) {
  const { method, params } = request;
  if (method === "initialize") {
    return {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: { listChanged: true }, ...(plan.capabilities ?? {}) },
      serverInfo: { name: "fake", version: "1" },
    };
  }
  if (method === "tools/list") {
    if (plan.pageSize === undefined) return { tools };
    const from = Number(params?.cursor ?? 0);
    const next = from + plan.pageSize;
    return { tools: tools.slice(from, next), ...(next < tools.length ? { nextCursor: String(next) } : {}) };
  }
  if (method === "tools/call" && params.name === "sample") return sample(params.arguments);
  if (method === "tools/call" && params.name === "ask") return ask(params.arguments.method, params.arguments.params);
  if (method === "tools/call" && params.name === "hang") {
    process.stderr.write("hanging\n");
    return new Promise(() => undefined);
  }
  if (method === "tools/call" && params.name === "lost")
    throw Object.assign(new Error("Session not found"), { code: -32000 });
  if (method === "tools/call") return (calls[params.name] ?? (() => text(`ran ${params.name}`)))(params.arguments);
  if (method === "resources/list") return { resources: [{ uri: "note://1", name: "note" }] };
  if (method === "resources/read") return { contents: [{ uri: params.uri, text: "a note" }] };
  if (method === "prompts/list") return { prompts: [{ name: "greet" }] };
  if (method === "ping") return {};
  throw Object.assign(new Error(`unknown method ${method}`), { code: -32601 });
}

createInterface({ input: process.stdin }).on("line", async (line) => {
  const message = JSON.parse(line);
  if (message.method === "notifications/cancelled") cancelled.push(message.params.requestId);
  if (message.method === undefined) {
    waiting.get(message.id)?.(message);
    waiting.delete(message.id);
    return;
  }
  if (message.id === undefined) return;
  if (message.method === "initialize" && plan.neverInitialize === true) return;
  try {
    send({ id: message.id, result: await answer(message) });
  } catch (error) {
    send({ id: message.id, error: { code: error.code ?? -32603, message: error.message } });
  }
});
if (plan.stayAfterInput !== true) process.stdin.on("end", () => process.exit(0));
else setInterval(() => undefined, 1000);
