import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";

type Json = Readonly<Record<string, unknown>>;

/**
 * Weights & Biases as its own client speaks to it: runs by GraphQL, lines of history by a stream of files, and tables by
 * an address that is told for each file.
 */
export async function startWandb() {
  const runs: Json[] = [];
  const history: Json[] = [];
  const tables: Json[] = [];
  const ends: unknown[] = [];
  const refusals: string[] = [];
  let isAway = false;
  const expected = `Basic ${Buffer.from(`api:${wandbKey}`).toString("base64")}`;
  const server = createServer((request, response) => {
    void requestText(request).then((text) => {
      const answer = respond(request, text);
      response.writeHead(answer.status, { "content-type": "application/json" });
      response.end(JSON.stringify(answer.body));
    });
  });
  const respond = (request: IncomingMessage, text: string): { readonly status: number; readonly body: unknown } => {
    if (isAway) return { status: 503, body: {} };
    const url = request.url ?? "";
    if (request.method === "PUT" && url.startsWith("/upload/")) {
      tables.push(JSON.parse(text) as Json);
      return { status: 200, body: {} };
    }
    if (request.headers.authorization !== expected) return refuse(401, "user is not logged in");
    const value = JSON.parse(text) as Json;
    if (url === "/graphql") return graphql(value);
    if (url !== `/files/me/${String(runs[0]?.["project"])}/${String(runs[0]?.["name"])}/file_stream`)
      return refuse(404, url);
    const files = value["files"] as Record<string, { offset: number; content: string[] }> | undefined;
    const lines = files?.["wandb-history.jsonl"];
    // What is sent again stands at the same offset.
    if (lines !== undefined)
      history.splice(lines.offset, Infinity, ...lines.content.map((line) => JSON.parse(line) as Json));
    if (value["complete"] === true) ends.push(value["exitcode"]);
    return { status: 200, body: { exitcode: null, limits: {} } };
  };
  const graphql = ({ query, variables }: Json) => {
    const values = variables as Json;
    if (String(query).includes("upsertBucket")) {
      runs.push(values);
      const project = { name: values["project"], entity: { name: "me" } };
      return { status: 200, body: { data: { upsertBucket: { bucket: { name: values["name"], project } } } } };
    }
    if (!String(query).includes("createRunFiles")) return refuse(400, String(query));
    const files = (values["files"] as string[]).map((name) => ({ name, uploadUrl: `${address()}/upload/${name}` }));
    return { status: 200, body: { data: { createRunFiles: { files } } } };
  };
  const refuse = (status: number, why: string) => {
    refusals.push(why);
    return { status, body: { errors: [{ message: why }] } };
  };
  const address = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    ...{ url: address(), runs, history, tables, ends, refusals },
    goAway: () => {
      isAway = true;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const wandbKey = "w".repeat(40);

export async function requestText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  return (request.headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes).toString("utf8");
}
