import { randomUUID } from "node:crypto";
import { mkdtemp } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import path from "node:path";
import { Sandbox } from "../sandboxes/sandbox.ts";
import { Exec } from "./exec.ts";

/** Modal behind the subscription, played on loopback in a process of its own. Arguments: folder, files of its image, token. */
const [, , folder = "", base = "", token = ""] = process.argv;

type Fields = Readonly<Record<string, unknown>>;

interface Known {
  readonly sandbox: Sandbox;
  readonly logicalKey: string;
  readonly execs: Map<string, Exec>;
}

interface Answer {
  readonly status: number;
  readonly json: object;
}

const known = new Map<string, Known>();
const byIdempotencyKey = new Map<string, string>();
/** Files that were kept, by logical key. */
const kept = new Map<string, string>();

const wrong = (error: string): Answer => ({ status: 400, json: { error } });

async function create(asked: Fields, key: string | undefined): Promise<Answer> {
  if (key === undefined) return wrong("x-idempotency-key is required");
  const before = byIdempotencyKey.get(key);
  if (before !== undefined) return { status: 200, json: { id: before } };
  const { image, cwd, cpu, memoryMiB, timeoutMs, idleTimeoutMs, persistentFilesystem, logicalKey } = asked;
  if (typeof image !== "string" || typeof cwd !== "string" || typeof logicalKey !== "string")
    return wrong("image, cwd and logicalKey are texts");
  if (typeof cpu !== "number" || typeof memoryMiB !== "number") return wrong("cpu and memoryMiB are numbers");
  if (typeof timeoutMs !== "number" || timeoutMs > 3_600_000) return wrong("timeoutMs is at most an hour");
  if (typeof idleTimeoutMs !== "number" || idleTimeoutMs < 300_000) return wrong("idleTimeoutMs is too short");
  const id = randomUUID();
  byIdempotencyKey.set(key, id);
  const files = (persistentFilesystem === true ? kept.get(logicalKey) : undefined) ?? base;
  known.set(id, { sandbox: await Sandbox.start(id, { files, folder }), logicalKey, execs: new Map() });
  return { status: 201, json: { id } };
}

async function terminate(id: string, one: Known, asked: Fields): Promise<Answer> {
  await one.sandbox.stop();
  if (asked["snapshotBeforeTerminate"] === true) {
    const copy = await mkdtemp(path.join(folder, "kept-"));
    await one.sandbox.copyFiles(copy);
    kept.set(one.logicalKey, copy);
  }
  known.delete(id);
  await one.sandbox.remove();
  return { status: 200, json: { status: "terminated" } };
}

function start(one: Known, asked: Fields): Answer {
  const { execId, command, cwd, timeoutMs, stdinData } = asked;
  if (typeof execId !== "string" || typeof command !== "string" || typeof cwd !== "string")
    return wrong("execId, command and cwd are texts");
  if (typeof timeoutMs !== "number" || timeoutMs > 3_600_000) return wrong("timeoutMs is at most an hour");
  if (stdinData !== undefined && typeof stdinData !== "string") return wrong("stdinData is a text");
  if (one.execs.has(execId)) return { status: 409, json: { error: "execId is taken" } };
  const exec = new Exec(one.sandbox, { execId, command, cwd, stdinData });
  one.execs.set(execId, exec);
  return { status: 202, json: exec.facts };
}

async function route(request: IncomingMessage, asked: Fields): Promise<Answer> {
  if (request.headers.authorization !== `Bearer ${token}`) return { status: 401, json: { error: "unknown token" } };
  const [version, kind, id = "", act, execId = "", last] = (request.url ?? "").split("/").slice(1);
  if (version !== "v1" || kind !== "sandboxes") return { status: 404, json: { error: "no such route" } };
  const key = request.headers["x-idempotency-key"];
  if (id === "") return create(asked, typeof key === "string" ? key : undefined);
  const one = known.get(id);
  if (one === undefined) return { status: 404, json: { error: "no such sandbox" } };
  if (act === "terminate") return terminate(id, one, asked);
  if (act !== "execs") return { status: 404, json: { error: "no such route" } };
  if (execId === "") return start(one, asked);
  const exec = one.execs.get(execId);
  if (exec === undefined) return { status: 404, json: { error: "no such exec" } };
  if (last === "cancel") exec.cancel();
  return { status: 200, json: exec.facts };
}

const server = createServer((request, response) => {
  const answer = async (): Promise<Answer> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    return route(request, chunks.length === 0 ? {} : (JSON.parse(Buffer.concat(chunks).toString()) as Fields));
  };
  void answer()
    .catch((error: unknown): Answer => ({ status: 500, json: { error: String(error) } }))
    .then(({ status, json }) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(json));
    });
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.send?.({ port: typeof address === "object" && address !== null ? address.port : 0 });
});

async function close(): Promise<void> {
  await Promise.all([...known.values()].map(({ sandbox }) => sandbox.remove()));
}

process.on("message", (message) => {
  const act = async (): Promise<void> => {
    const newest = [...known].at(-1);
    if (message === "destroy" && newest !== undefined) {
      known.delete(newest[0]);
      await newest[1].sandbox.remove();
    }
    if (message === "close") await close();
    process.send?.({ running: known.size });
    if (message === "close") process.exit(0);
  };
  void act();
});
process.on("disconnect", () => void close().finally(() => process.exit(0)));
