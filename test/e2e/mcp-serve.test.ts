import { spawn } from "node:child_process";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, it } from "vitest";
import { calls, hang, says, startModelServer } from "../fakes/model-server/index.ts";
import { main, modelConfig, Stage } from "./support/stage.ts";

type Document = Record<string, unknown>;

/** A client of the built program, over a real child process. */
async function connect(stage: Stage, ...flags: readonly string[]) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [main, "mcp", "serve", ...flags],
    cwd: stage.work,
    env: stage.environment(),
    stderr: "ignore",
  });
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
  return { ...caller(client), pid: transport.pid ?? 0, [Symbol.asyncDispose]: () => client.close() };
}

function caller(client: Client) {
  const call = async (name: string, args: Document = {}): Promise<Document> => {
    const result = await client.callTool({ name, arguments: args });
    if (result.isError === true) throw new Error(textOf(result.content));
    return result.structuredContent as Document;
  };
  return { client, call };
}

function textOf(content: unknown): string {
  return (content as readonly { readonly text?: string }[]).map(({ text }) => text ?? "").join("");
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

const ended = (key: string) => ({ target: key, wait_ms: 20_000 });
const flagged = "rm -rf build";

describe("hermes mcp serve", () => {
  it("reads conversations that another program had, and tells of what is said there now [30:6.7]", async () => {
    await using server = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(server.chatBaseUrl) });
    server.script(says("Paris, with the key sk-abcdefghijklmnopqrstuvwxyz123456."));
    const first = await stage.ask("What is the capital of France?");
    await using hermes = await connect(stage);
    const listed = await hermes.call("conversations_list", { search: "capital", limit: 5 });
    expect(listed["conversations"]).toMatchObject([{ session_key: first["session_id"], platform: "cli" }]);
    expect(await hermes.call("conversations_list", { platform: "telegram" })).toEqual({ conversations: [] });
    const key = String(first["session_id"]);
    expect(await hermes.call("conversation_get", { session_key: key })).toMatchObject({
      conversation: { session_key: key, message_count: 2 },
    });
    const read = await hermes.call("messages_read", { session_key: key });
    expect(read["messages"]).toMatchObject([
      { role: "user", text: "What is the capital of France?" },
      { role: "assistant", text: expect.stringContaining("Paris") },
    ]);
    expect(JSON.stringify(read)).not.toContain("abcdefghijklmnopqrstuvwxyz123456");
    expect(await hermes.call("events_poll")).toEqual({ events: [], next_cursor: 0 });

    server.script(says("Lyon."));
    const waiting = hermes.call("events_wait", { timeout_ms: 20_000 });
    await stage.ask("And the third city?", "--resume", key);
    const [told] = (await waiting)["events"] as Document[];
    expect(told).toMatchObject({ type: "message", session_key: key, text: "And the third city?", cursor: 1 });
    await expect
      .poll(async () => ((await hermes.call("events_poll", { session_key: key }))["events"] as Document[]).length)
      .toBe(2);
    expect(await hermes.call("events_poll", { after_cursor: 1 })).toMatchObject({
      events: [{ role: "assistant", text: "Lyon.", cursor: 2 }],
      next_cursor: 2,
    });
    server.assertClean();
  });

  it("begins a conversation, goes on with it and gives the answer back [30:6.7]", async () => {
    await using server = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(server.chatBaseUrl) });
    server.otherwise(says("A title"));
    server.script(says("Hello."));
    await using hermes = await connect(stage);
    const sent = await hermes.call("messages_send", { ...ended("new"), message: "hi" });
    expect(sent).toMatchObject({ sent: true, state: "ended", completed: true, reply: "Hello." });
    const key = String(sent["session_key"]);
    await server.received(2);
    server.script(says("Still here."));
    expect(await hermes.call("messages_send", { ...ended(key), message: "there?" })).toMatchObject({
      session_key: key,
      reply: "Still here.",
    });
    expect((await server.received(3)).messages.map(({ role }) => role)).toEqual(
      expect.arrayContaining(["user", "assistant", "user"]),
    );
    const stored = await stage.messages(key);
    expect(stored.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
  });

  it("lets a client decide about a flagged command, but not for good [30:6.7]", async () => {
    await using server = await startModelServer({ strict: true });
    await using stage = await Stage.open({
      config: modelConfig(server.chatBaseUrl),
      files: { "build/x.txt": "x", "keep.txt": "k" },
    });
    await using hermes = await connect(stage);
    server.otherwise(says("A title"));
    const tries = async (decision: string) => {
      server.script(calls("terminal", { command: flagged }), says("Done."));
      const before = Number((await hermes.call("events_poll"))["next_cursor"]);
      const sent = await hermes.call("messages_send", { target: "new", message: "clean up" });
      expect(sent).toMatchObject({ state: "running" });
      let cursor = before;
      let asked: Document | undefined;
      while (asked === undefined) {
        const page = await hermes.call("events_wait", { after_cursor: cursor, timeout_ms: 20_000 });
        asked = (page["events"] as Document[]).find(({ type }) => type === "approval_requested");
        cursor = Number(page["next_cursor"]);
      }
      expect(asked).toMatchObject({ session_key: sent["session_key"], tool: "terminal" });
      const open = (await hermes.call("permissions_list_open"))["permissions"] as Document[];
      expect(open).toMatchObject([{ id: asked["id"], summary: expect.stringContaining(flagged) }]);
      expect(open[0]?.["decisions"]).not.toContain("allow-always");
      await expect(hermes.call("permissions_respond", { id: asked["id"], decision: "allow-always" })).rejects.toThrow(
        /for good/,
      );
      await hermes.call("permissions_respond", { id: asked["id"], decision });
      await expect
        .poll(async () => JSON.stringify(await hermes.call("events_poll", { after_cursor: cursor })), {
          timeout: 20_000,
        })
        .toContain("Done.");
      return JSON.stringify(await hermes.call("events_poll", { after_cursor: cursor }));
    };
    expect(await tries("deny")).toContain('"choice":"deny"');
    await server.received(3);
    expect(await stage.read("build/x.txt")).toBe("x");
    expect(await tries("allow-once")).toContain('"choice":"once"');
    await expect(stage.read("build/x.txt")).rejects.toThrow();
    expect(await hermes.call("permissions_list_open")).toMatchObject({ permissions: [] });
  });

  it("says what it cannot do: platforms, commands, unknown conversations [30:6.7]", async () => {
    await using stage = await Stage.open();
    await using hermes = await connect(stage);
    const refusal = (name: string, args: Document): Promise<string> =>
      hermes.call(name, args).then(
        () => "",
        (error: Error) => error.message,
      );
    expect(await refusal("messages_send", { target: "telegram:42", message: "x" })).toMatch(/no messaging gateway/);
    expect(await refusal("messages_send", { target: "new", message: "/yolo" })).toMatch(/Slash commands/);
    expect(await refusal("messages_send", { target: "gone", message: "x" })).toMatch(/no conversation "gone"/);
    expect(await refusal("messages_read", { session_key: "gone" })).toMatch(/no conversation "gone"/);
    expect(await refusal("events_wait", { timeout_ms: 300_001 })).toMatch(/300000/);
    expect(await refusal("permissions_respond", { id: "a", decision: "allow-once" })).toMatch(/is waiting here/);
    expect(await hermes.call("channels_list")).toMatchObject({
      channels: [],
      note: expect.stringMatching(/No messaging gateway/),
    });
  });

  it("offers nothing that changes anything with --read-only [30:6.7]", async () => {
    await using stage = await Stage.open();
    await using hermes = await connect(stage, "--read-only");
    const names = (await hermes.client.listTools()).tools.map(({ name }) => name);
    expect(names).toContain("messages_read");
    expect(names).not.toContain("messages_send");
    expect(names).not.toContain("permissions_respond");
    await expect(hermes.call("messages_send", { target: "new", message: "x" })).rejects.toThrow();
  });

  it("hands over the pictures of a message [30:6.7]", async () => {
    await using server = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(server.chatBaseUrl) });
    server.script(says("A dot.\nMEDIA: /tmp/dot.png"));
    await using hermes = await connect(stage);
    const sent = await hermes.call("messages_send", { ...ended("new"), message: "draw" });
    const key = sent["session_key"];
    const messages = (await hermes.call("messages_read", { session_key: key }))["messages"] as Document[];
    expect(messages[1]).toMatchObject({ attachments: 1 });
    expect(await hermes.call("attachments_fetch", { session_key: key, message_id: messages[1]?.["id"] })).toEqual({
      attachments: [{ type: "file", path: "/tmp/dot.png" }],
    });
  });
});

describe("hermes mcp serve and its client", () => {
  it("answers on after lines that are no protocol, and writes nothing else to its output [30:6.7]", async () => {
    await using stage = await Stage.open();
    const child = spawn(process.execPath, [main, "mcp", "serve"], { cwd: stage.work, env: stage.environment() });
    const lines: string[] = [];
    child.stdout.setEncoding("utf8").on("data", (text: string) => lines.push(...text.split("\n").filter(Boolean)));
    const gone = new Promise((resolve) => child.once("exit", resolve));
    const send = (value: unknown): void => void child.stdin.write(`${JSON.stringify(value)}\n`);
    child.stdin.write('not json\n{"half":\n\u0000\u0001\n[]\n42\n');
    const clientInfo = { name: "raw", version: "1" };
    send({
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo },
    });
    await expect.poll(() => lines.some((line) => line.includes('"id":1')), { timeout: 20_000 }).toBe(true);
    send({ jsonrpc: "2.0", method: "notifications/initialized" });
    send({ jsonrpc: "2.0", id: 2, method: "no/such/method" });
    send({ jsonrpc: "2.0", id: 3, method: "tools/call", params: { name: "no_such_tool", arguments: {} } });
    send({
      jsonrpc: "2.0",
      id: 4,
      method: "tools/call",
      params: { name: "messages_read", arguments: { session_key: 7 } },
    });
    send({ jsonrpc: "2.0", id: 5, method: "tools/call", params: { name: "conversations_list", arguments: {} } });
    await expect.poll(() => lines.some((line) => line.includes('"id":5')), { timeout: 20_000 }).toBe(true);
    const answers = lines.map((line) => JSON.parse(line) as Document);
    const answerTo = (id: number) => answers.find((one) => one["id"] === id);
    expect(answers.every((one) => one["jsonrpc"] === "2.0")).toBe(true);
    expect(answerTo(2)).toHaveProperty("error");
    expect(answerTo(5)).toHaveProperty("result");
    expect(JSON.stringify(answerTo(4))).toMatch(/must be string/);
    child.stdin.end();
    expect(await gone).toBe(0);
  });

  it("is gone when its client was killed, also in the middle of a turn [30:6.7] [30:MCP-03]", async () => {
    await using server = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(server.chatBaseUrl) });
    server.script(hang());
    const program = `
      import { Client } from "@modelcontextprotocol/client";
      import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
      const transport = new StdioClientTransport({ command: process.execPath, args: [${JSON.stringify(main)}, "mcp", "serve"],
        env: process.env, cwd: ${JSON.stringify(stage.work)}, stderr: "ignore" });
      const client = new Client({ name: "doomed", version: "1" });
      await client.connect(transport);
      await client.callTool({ name: "messages_send", arguments: { target: "new", message: "hi" } });
      console.log("pid", transport.pid);
      setInterval(() => undefined, 1000);`;
    const parent = spawn(process.execPath, ["--input-type=module", "-e", program], {
      env: stage.environment(),
      stdio: ["ignore", "pipe", "inherit"],
    });
    try {
      const pid = await new Promise<number>((resolve, reject) => {
        parent.stdout.on("data", (chunk: Buffer) => {
          const match = /pid (\d+)/.exec(chunk.toString());
          if (match?.[1] !== undefined) resolve(Number(match[1]));
        });
        parent.once("exit", () => reject(new Error("the client ended early")));
      });
      await server.received(1);
      expect(isAlive(pid)).toBe(true);
      parent.kill("SIGKILL");
      await expect.poll(() => isAlive(pid), { timeout: 10_000, interval: 20 }).toBe(false);
      await server.clientLeft(1);
    } finally {
      parent.kill("SIGKILL");
    }
  });

  it("serves over HTTP on the loopback address, to whoever has the token [30:6.7]", async () => {
    await using stage = await Stage.open();
    const env = stage.environment({ HERMES_MCP_SERVER_TOKEN: "tell-nobody-1234" });
    const child = spawn(process.execPath, [main, "mcp", "serve", "--http"], { cwd: stage.work, env });
    const gone = new Promise((resolve) => child.once("exit", resolve));
    try {
      const url = await new Promise<string>((resolve, reject) => {
        child.stderr.on("data", (chunk: Buffer) => {
          const match = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(chunk.toString());
          if (match !== null) resolve(match[0]);
        });
        child.once("exit", () => reject(new Error("the server ended early")));
      });
      const headers = { authorization: "Bearer tell-nobody-1234" };
      const post = (more: Record<string, string>) => fetch(url, { method: "POST", headers: more, body: "{}" });
      expect((await post({})).status).toBe(401);
      expect((await post({ authorization: "Bearer tell-nobody-1235" })).status).toBe(401);
      expect((await post({ ...headers, origin: "https://example.com" })).status).toBe(403);
      const client = new Client({ name: "test", version: "1" });
      await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
      expect(await caller(client).call("conversations_list")).toEqual({ conversations: [] });
      await client.close();
    } finally {
      child.kill("SIGTERM");
    }
    expect(await gone).toBe(130);
  });
});
