import { readFile, realpath } from "node:fs/promises";
import path from "node:path";
import type { SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import { describe, expect, it } from "vitest";
import { calls, hang, hangAfter, reply, says, startModelServer } from "../fakes/model-server/index.ts";
import { Editor, selects } from "./support/acp-editor.ts";
import { modelConfig, Stage } from "./support/stage.ts";

/** A home whose model is scripted; titles are asked of another one, so that they take nothing from the script. */
async function open(more = "", files: Readonly<Record<string, string>> = {}) {
  const [server, titles] = await Promise.all([startModelServer({ strict: true }), startModelServer()]);
  titles.otherwise(says("A title"));
  const title = `{ provider: custom, model: titles, base_url: "${titles.chatBaseUrl}" }`;
  const settings = `model_catalog:\n  enabled: false\nauxiliary:\n  title_generation: ${title}\n`;
  const stage = await Stage.open({ config: modelConfig(server.chatBaseUrl, settings + more), files });
  return {
    server,
    stage,
    async [Symbol.asyncDispose]() {
      await stage[Symbol.asyncDispose]();
      await Promise.all([server[Symbol.asyncDispose](), titles[Symbol.asyncDispose]()]);
    },
  };
}
const flagged = "rm -rf build";

describe("hermes acp", () => {
  it("introduces itself, begins a session and answers while the model speaks [20:R12.1] [20:R12.2] [20:A12.1] [20:R9.1]", async () => {
    await using world = await open();
    const { server, stage } = world;
    await using editor = await Editor.open(stage);
    const hello = await editor.agent.request("initialize", { protocolVersion: 1 });
    expect(hello).toMatchObject({
      protocolVersion: 1,
      agentInfo: { name: "hermes-agent" },
      authMethods: [{ id: "custom" }],
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, embeddedContext: true },
        sessionCapabilities: { list: {}, resume: {}, fork: {} },
      },
    });
    await editor.agent.request("authenticate", { methodId: "custom" });
    await expect(editor.agent.request("authenticate", { methodId: "elsewhere" })).rejects.toMatchObject({
      code: -32602,
    });
    const begun = await editor.agent.request<Record<string, unknown>>("session/new", {
      cwd: stage.work,
      mcpServers: [],
    });
    expect(begun).toMatchObject({
      models: { currentModelId: "custom:fake-model" },
      modes: { currentModeId: "default", availableModes: [{ id: "default" }, { id: "plan" }, { id: "yolo" }] },
      configOptions: [{ id: "mode" }, { id: "model", currentValue: "custom:fake-model" }],
    });
    const id = String(begun["sessionId"]);
    server.script(hangAfter({ events: 3 }, says("One two three.", { fragments: ["One ", "two ", "three."] })));
    const answering = editor.prompt(id, "count");
    await editor.seen((update) => update.sessionUpdate === "agent_message_chunk");
    await editor.agent.notify("session/cancel", { sessionId: id });
    expect((await answering).stopReason).toBe("cancelled");
    server.script(says("Done."));
    const answered = await editor.prompt(id, "again");
    expect(answered).toMatchObject({ stopReason: "end_turn", usage: { totalTokens: expect.any(Number) } });
    expect(editor.text()).toMatch(/^One .*Done\.$/s);
    await editor.seen((update) => update.sessionUpdate === "available_commands_update");
    const names = editor.of("available_commands_update")[0]?.availableCommands.map(({ name }) => name) ?? [];
    expect(names).toEqual(expect.arrayContaining(["help", "model", "tools", "context", "new", "compress", "version"]));
    expect(names).not.toContain("quit");
    for (const line of editor.lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
  });

  it("runs commands in the folder of the session and shows them as they are [20:R12.4] [20:R12.6] [20:A12.2]", async () => {
    await using world = await open("", { "inner/keep": "" });
    const { server, stage } = world;
    await using editor = await Editor.open(stage);
    const folder = await realpath(path.join(stage.work, "inner"));
    const id = await editor.begin(folder);
    server.script(calls("terminal", { command: "pwd" }), says("There."));
    await editor.prompt(id, "run pwd");
    const offered = JSON.stringify((await server.received(1)).body);
    expect(offered).toContain('"name":"patch"');
    for (const absent of ["clarify", "cronjob", "send_message"]) expect(offered).not.toContain(`"name":"${absent}"`);
    const [call] = editor.of("tool_call");
    expect(call).toMatchObject({ kind: "execute", title: "terminal: pwd", status: "in_progress" });
    const ended = editor.of("tool_call_update").find(({ status }) => status === "completed");
    expect(ended?.toolCallId).toBe(call?.toolCallId);
    expect(JSON.stringify(ended?.content)).toContain(folder);
  });

  it("shows what an edit changed [20:R12.4]", async () => {
    await using world = await open("", { "a.txt": "one\ntwo\nthree\n" });
    const { server, stage } = world;
    await using editor = await Editor.open(stage);
    const id = await editor.begin(stage.work);
    server.script(
      calls("read_file", { path: "a.txt" }),
      calls("patch", { mode: "replace", path: "a.txt", old_string: "two", new_string: "zwei" }),
      calls("write_file", { path: "b.txt", content: "new\n" }),
      says("Done."),
    );
    await editor.prompt(id, "translate");
    expect(editor.of("tool_call")).toMatchObject([
      { kind: "read", title: "read: a.txt", locations: [{ path: path.join(stage.work, "a.txt") }] },
      { kind: "edit", title: "patch (replace): a.txt" },
      { kind: "edit", title: "write: b.txt" },
    ]);
    const diffs = editor
      .of("tool_call_update")
      .flatMap(({ content }) => content ?? [])
      .filter(({ type }) => type === "diff");
    expect(diffs).toMatchObject([
      { path: path.join(stage.work, "a.txt"), oldText: "one\ntwo\nthree", newText: "one\nzwei\nthree" },
      { path: path.join(stage.work, "b.txt"), oldText: null, newText: "new" },
    ]);
  });

  it("asks the person at the editor, and nothing runs that was not allowed [20:R12.5]", async () => {
    await using world = await open("", { "build/x": "" });
    const { server, stage } = world;
    const asked: unknown[] = [];
    const answers = ["reject_once", "made_up", "allow_once"];
    await using editor = await Editor.open(stage, {
      onPermission: (request) => {
        asked.push(request);
        return selects(answers.shift() ?? "");
      },
    });
    const id = await editor.begin(stage.work);
    for (const still of [true, true, false]) {
      server.script(calls("terminal", { command: flagged }), says("Ok."));
      expect((await editor.prompt(id, "clean")).stopReason).toBe("end_turn");
      expect(
        await stage.read("build/x").then(
          () => true,
          () => false,
        ),
      ).toBe(still);
    }
    expect(asked).toHaveLength(3);
    expect(asked[0]).toMatchObject({
      sessionId: id,
      toolCall: { toolCallId: editor.of("tool_call")[0]?.toolCallId, kind: "execute" },
      options: expect.arrayContaining([{ optionId: "reject_once", name: "Reject", kind: "reject_once" }]),
    });
  });

  it("is not asked again about what is always allowed, in this session or the next [20:R12.5]", async () => {
    await using world = await open("", { "build/x": "" });
    const { server, stage } = world;
    let asked = 0;
    await using editor = await Editor.open(stage, {
      onPermission: () => {
        asked += 1;
        return selects("allow_always");
      },
    });
    const first = await editor.begin(stage.work);
    for (const id of [first, first, await editor.begin(stage.work)]) {
      server.script(calls("terminal", { command: `${flagged} && mkdir build && touch build/x` }), says("Ok."));
      expect((await editor.prompt(id, "clean")).stopReason).toBe("end_turn");
    }
    expect(asked).toBe(1);
    expect(await readFile(path.join(stage.home, "config.yaml"), "utf8")).toContain("command_allowlist");
  });

  it("denies what nobody answers in time, and goes on [20:R12.5] [20:A12.4]", async () => {
    await using world = await open("approvals:\n  timeout: 1\n", { "build/x": "" });
    const { server, stage } = world;
    await using editor = await Editor.open(stage, { onPermission: () => new Promise(() => undefined) });
    const id = await editor.begin(stage.work);
    server.script(calls("terminal", { command: flagged }), says("Then not."));
    expect((await editor.prompt(id, "clean")).stopReason).toBe("end_turn");
    expect(editor.text()).toContain("Then not.");
    expect(await stage.read("build/x")).toBe("");
  });

  it("stops a running command at once when the person cancels [20:A12.5]", async () => {
    await using world = await open();
    const { server, stage } = world;
    await using editor = await Editor.open(stage);
    const id = await editor.begin(stage.work);
    server.script(calls("terminal", { command: "echo begun; sleep 600" }), hang());
    const answering = editor.prompt(id, "wait");
    await editor.seen(
      (update) => update.sessionUpdate === "tool_call_update" && JSON.stringify(update).includes("begun"),
    );
    await editor.agent.notify("session/cancel", { sessionId: id });
    expect((await answering).stopReason).toBe("cancelled");
  });

  it("attaches results to their calls when the second ends first [20:A12.3]", async () => {
    await using world = await open("", { "a.txt": "alpha", "b.txt": "beta" });
    const { server, stage } = world;
    const idOf = (file: string) => editor.of("tool_call").find(({ title }) => title === `read: ${file}`)?.toolCallId;
    const isDone = (update: SessionUpdate, file: string): boolean =>
      update.sessionUpdate === "tool_call_update" && update.status === "completed" && update.toolCallId === idOf(file);
    await using editor: Editor = await Editor.open(stage, {
      capabilities: { fs: { readTextFile: true, writeTextFile: false } },
      onRead: async (file) => {
        if (path.basename(file) === "b.txt") return "beta";
        await editor.seen((update) => isDone(update, "b.txt"));
        return "alpha";
      },
    });
    const id = await editor.begin(stage.work);
    server.script(reply([calls("read_file", { path: "a.txt" }), calls("read_file", { path: "b.txt" })]), says("Both."));
    await editor.prompt(id, "read both");
    const ends = editor.of("tool_call_update").filter(({ status }) => status === "completed");
    expect(ends.map(({ toolCallId }) => toolCallId)).toEqual([idOf("b.txt"), idOf("a.txt")]);
    expect(JSON.stringify(ends[0]?.content)).toContain("beta");
    expect(JSON.stringify(ends[1]?.content)).toContain("alpha");
    const results = (await server.received(2)).messages.filter(({ role }) => role === "tool");
    expect(results.map((one) => /alpha|beta/.exec(JSON.stringify(one))?.[0])).toEqual(["alpha", "beta"]);
  });
});

describe("the files an editor lends", () => {
  it("are read with what is not saved yet, and written in its windows and on the disk [20:R12.7]", async () => {
    await using world = await open("", { "a.txt": "one\r\ntwo\r\n", "b.txt": "saved\n", "c.bin": "\u0000\u0001" });
    const { server, stage } = world;
    const buffers = new Map([[path.join(stage.work, "a.txt"), "one\nTWO, not saved\n"]]);
    const asked: string[] = [];
    await using editor = await Editor.open(stage, {
      capabilities: { fs: { readTextFile: true, writeTextFile: true } },
      onRead: (file) => {
        asked.push(path.basename(file));
        const text = buffers.get(file);
        if (text === undefined) throw new Error("not open");
        return text;
      },
      onWrite: (file, text) => void buffers.set(file, text),
    });
    const id = await editor.begin(stage.work);
    server.script(
      reply([calls("read_file", { path: "a.txt" }), calls("read_file", { path: "b.txt" })]),
      calls("patch", { mode: "replace", path: "a.txt", old_string: "TWO, not saved", new_string: "three" }),
      says("Done."),
    );
    await editor.prompt(id, "translate");
    const results = JSON.stringify((await server.received(2)).body);
    expect(results).toContain("TWO, not saved");
    expect(results).toContain("saved");
    expect(asked).toEqual(expect.arrayContaining(["a.txt", "b.txt"]));
    expect(buffers.get(path.join(stage.work, "a.txt"))).toBe("one\r\nthree\r\n");
    // This editor does not save by itself; commands must see the change all the same.
    expect(await stage.read("a.txt")).toBe("one\r\nthree\r\n");
  });

  it("do not hold up a session whose editor does not answer for them [20:R12.7]", async () => {
    await using world = await open("", { "a.txt": "on the disk\n" });
    const { server, stage } = world;
    // It promises files and knows no such request.
    await using editor = await Editor.open(stage, {
      capabilities: { fs: { readTextFile: true, writeTextFile: true } },
    });
    const id = await editor.begin(stage.work);
    server.script(
      calls("read_file", { path: "a.txt" }),
      calls("write_file", { path: "a.txt", content: "new\n" }),
      says("Done."),
    );
    await editor.prompt(id, "write");
    expect(JSON.stringify((await server.received(2)).body)).toContain("on the disk");
    expect(await stage.read("a.txt")).toBe("new\n");
  });
});

describe("the model of an editor's session", () => {
  it("changes with session/set_model, history kept, and each provider gets its own key only [20:A12.7] [20:R12.2] [20:R2.14]", async () => {
    await using claude = await startModelServer({ strict: true });
    await using world = await open(`providers:\n  anthropic:\n    base_url: ${claude.anthropicBaseUrl}\n`);
    const { server, stage } = world;
    const env = { OPENROUTER_API_KEY: "sk-or-v1-of-the-router", ANTHROPIC_API_KEY: "sk-ant-api03-of-anthropic" };
    await using editor = await Editor.open(stage, { env });
    const id = await editor.begin(stage.work);
    server.script(says("From the first."));
    await editor.prompt(id, "hello");
    await editor.agent.request("session/set_model", { sessionId: id, modelId: "anthropic:claude-sonnet-4-6" });
    claude.script(says("From Claude."));
    await editor.prompt(id, "and you?");
    expect(editor.text()).toBe("From the first.From Claude.");
    const sent = await claude.received(1);
    expect(sent).toMatchObject({ model: "claude-sonnet-4-6", protocol: "anthropic" });
    expect(sent.rawBody).toContain("From the first.");
    expect(sent.headers["x-api-key"]).toBe(env.ANTHROPIC_API_KEY);
    for (const { headers, rawBody } of [...claude.requests, ...server.requests])
      expect(JSON.stringify(headers) + rawBody).not.toContain(env.OPENROUTER_API_KEY);
  });
});
