import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { WebSocketServer } from "ws";
import { Sandbox } from "../sandboxes/sandbox.ts";
import { Toolbox, type ToolboxAnswer } from "./toolbox.ts";

/** Daytona, played on loopback in a process of its own. Arguments: folder, files of its image, key. */
const [, , folder = "", base = "", key = ""] = process.argv;

interface Known {
  readonly id: string;
  readonly asked: Readonly<Record<string, unknown>>;
  sandbox: Sandbox;
  toolbox: Toolbox;
}

const known = new Map<string, Known>();
let origin = "";

function find(idOrName: string): Known | undefined {
  return known.get(idOrName) ?? [...known.values()].find(({ asked }) => asked["name"] === idOrName);
}

function described({ id, asked, sandbox }: Known): object {
  return { ...asked, id, state: sandbox.isRunning ? "started" : "stopped", toolboxProxyUrl: `${origin}/toolbox` };
}

async function create(asked: Readonly<Record<string, unknown>>): Promise<ToolboxAnswer> {
  if (find(String(asked["name"])) !== undefined) return { status: 409, json: { message: "name is taken" } };
  const sandbox = await Sandbox.start(randomUUID(), { files: base, folder });
  const one: Known = { id: sandbox.id, asked, sandbox, toolbox: new Toolbox(sandbox) };
  known.set(one.id, one);
  return { status: 200, json: described(one) };
}

async function api(method: string, target: string, body: Buffer): Promise<ToolboxAnswer> {
  const [, , , idOrName = "", act] = target.split("/");
  if (idOrName === "") return create(JSON.parse(body.toString()));
  const one = find(decodeURIComponent(idOrName));
  if (one === undefined) return { status: 404, json: { message: `Sandbox ${idOrName} not found`, statusCode: 404 } };
  if (act === "stop") await one.sandbox.stop();
  if (act === "start" && !one.sandbox.isRunning) {
    one.sandbox = await Sandbox.start(one.id, { files: one.sandbox.root, folder });
    one.toolbox = new Toolbox(one.sandbox);
  }
  if (method === "DELETE") {
    known.delete(one.id);
    await one.sandbox.remove();
  }
  return { status: 200, json: described(one) };
}

async function inToolbox(request: IncomingMessage, target: string, body: Buffer): Promise<ToolboxAnswer> {
  const [, , id = "", ...rest] = target.split("/");
  const one = known.get(id);
  if (one?.sandbox.isRunning !== true) return { status: 400, json: { message: "sandbox is not running" } };
  const { method = "GET", headers } = request;
  const query = new URL(request.url ?? "", origin).searchParams;
  return one.toolbox.answer({
    method,
    query,
    path: `/${rest.join("/")}`,
    contentType: headers["content-type"] ?? "",
    body,
  });
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const target = (request.url ?? "").split("?")[0] ?? "";
  const body = Buffer.concat(chunks);
  const isKnown = request.headers.authorization === `Bearer ${key}`;
  const { status, json, form } = !isKnown
    ? { status: 401, json: { message: "Unauthorized", statusCode: 401 }, form: undefined }
    : target.startsWith("/api/")
      ? await api(request.method ?? "GET", target, body)
      : await inToolbox(request, target, body);
  if (form !== undefined) {
    response.writeHead(status, { "content-type": `multipart/form-data; boundary=${form.boundary}` });
    for (const piece of form.pieces) response.write(piece);
    response.end();
    return;
  }
  response.writeHead(status, { "content-type": "application/json" });
  response.end(json === undefined ? "" : JSON.stringify(json));
}

const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => {
    response.writeHead(500, { "content-type": "application/json" });
    response.end(JSON.stringify({ message: String(error) }));
  });
});
const sockets = new WebSocketServer({ noServer: true });
server.on("upgrade", (request, socket, head) => {
  const target = (request.url ?? "").split("?")[0] ?? "";
  const [, , id = "", ...rest] = target.split("/");
  sockets.handleUpgrade(request, socket, head, (open) => known.get(id)?.toolbox.follow(`/${rest.join("/")}`, open));
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  origin = `http://127.0.0.1:${port}`;
  process.send?.({ port });
});

async function close(): Promise<void> {
  await Promise.all([...known.values()].map(({ sandbox }) => sandbox.remove()));
}

process.on("message", (message) => {
  const act = async (): Promise<void> => {
    const running = [...known.values()].filter(({ sandbox }) => sandbox.isRunning);
    const newest = running.at(-1);
    if (message === "destroy" && newest !== undefined) {
      known.delete(newest.id);
      await newest.sandbox.remove();
    }
    if (message === "close") await close();
    process.send?.({ running: [...known.values()].filter(({ sandbox }) => sandbox.isRunning).length });
    if (message === "close") process.exit(0);
  };
  void act();
});
process.on("disconnect", () => void close().finally(() => process.exit(0)));
