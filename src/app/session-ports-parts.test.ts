import { writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { SessionEvent } from "#session";
import { calls, type ModelServer, says, startModelServer } from "../../test/fakes/model-server/index.ts";
import { openHermes } from "./hermes.ts";
import { customModel, hermesStage } from "./testing.ts";

const fakeServer = fileURLToPath(new URL("../../test/fakes/mcp-server/server.mjs", import.meta.url));

const open = { type: "object", properties: { method: { type: "string" }, params: { type: "object" } } };
const askTool = { name: "ask", description: "Asks the client", inputSchema: open };
const sampleTool = { name: "sample", description: "Asks the model", inputSchema: { type: "object", properties: {} } };

function mcpServer(plan: unknown, more = ""): string {
  const args = JSON.stringify([fakeServer, JSON.stringify(plan)]);
  return `mcp_servers:\n  s:\n    command: ${JSON.stringify(process.execPath)}\n    args: ${args}\n${more}`;
}

const form = {
  message: "Which city?",
  requestedSchema: {
    type: "object",
    properties: { city: { type: "string" }, people: { type: "integer", minimum: 1 }, sure: { type: "boolean" } },
    required: ["city", "people"],
  },
};

type Question = Extract<SessionEvent, { readonly type: "question-request" }>;
const isQuestion = (event: SessionEvent): event is Question => event.type === "question-request";

/** Answers every question of a session, in order; what was asked. */
function answering(
  session: { subscribe(listener: (event: SessionEvent) => void): Disposable; answer(id: string, text: string): void },
  answers: readonly string[],
): readonly Question[] {
  const asked: Question[] = [];
  session.subscribe((event) => {
    if (!isQuestion(event)) return;
    const answer = answers[asked.length];
    asked.push(event);
    if (answer !== undefined) queueMicrotask(() => session.answer(event.id, answer));
  });
  return asked;
}

/** What the tool answered, as the model was told. */
async function toolResult(server: ModelServer, request: number): Promise<string> {
  const { messages } = await server.received(request);
  return JSON.stringify(messages.filter(({ role }) => role === "tool").at(-1)?.["content"]);
}

async function startServer(): Promise<ModelServer> {
  const server = await startModelServer({ strict: true });
  server.otherwise(says("A title"));
  return server;
}

describe("what an MCP server asks the person", () => {
  it("is asked field by field in the conversation that uses the server, and checked [30:6.5]", async () => {
    await using server = await startServer();
    await using stage = await hermesStage(customModel(server.chatBaseUrl, mcpServer({ tools: [askTool] })));
    const asked = answering(stage.session, ["Bern", "none", "3", "Skip this"]);
    server.script(calls("mcp_s_ask", { method: "elicitation/create", params: form }), says("Booked."));
    expect((await stage.ask("Book it.")).text).toBe("Booked.");
    expect(asked[0]?.question).toContain("The MCP server s asks: Which city?");
    expect(asked.map(({ choices }) => choices)).toEqual([[], [], [], ["Yes", "No", "Skip this"]]);
    expect(asked[2]?.question).toMatch(/does not fit; a whole number is wanted, at least 1/);
    const told = await toolResult(server, 2);
    expect(told).toContain("accept");
    expect(told).toMatch(/city.*Bern.*people.*3/);
    expect(told).not.toContain("sure");
  });

  it("is declined by a refusal, and where nobody can be asked [30:6.5]", async () => {
    await using server = await startServer();
    await using stage = await hermesStage(customModel(server.chatBaseUrl, mcpServer({ tools: [askTool] })));
    answering(stage.session, [""]);
    server.script(calls("mcp_s_ask", { method: "elicitation/create", params: form }), says("Not booked."));
    await stage.ask("Book it.");
    expect(await toolResult(server, 2)).toContain("decline");
    await server.received(3);
    const seen = server.requests.length;
    await using lone = await stage.hermes.sessions.open({ source: "cli", cwd: stage.folder, isInteractive: false });
    server.script(calls("mcp_s_ask", { method: "elicitation/create", params: form }), says("Not booked either."));
    const sent = await lone.submit({ text: "Book it." });
    if (sent.kind === "turn") expect((await sent.ended).text).toBe("Not booked either.");
    expect(JSON.stringify(server.requests.slice(seen).map(({ messages }) => messages))).toContain("decline");
  });

  it("for a completion needs consent once per conversation, and somebody to give it [30:6.5]", async () => {
    await using server = await startServer();
    const servers = mcpServer({ tools: [sampleTool] }, "    sampling:\n      enabled: true\n");
    await using stage = await hermesStage(customModel(server.chatBaseUrl, servers));
    const asked = answering(stage.session, ["Allow in this conversation"]);
    const twice = [calls("mcp_s_sample", {}), says("for the server")];
    server.script(...twice, ...twice, says("Done."));
    expect((await stage.ask("Go.")).text).toBe("Done.");
    expect(asked.map(({ question }) => question)).toEqual([
      expect.stringContaining("MCP server s wants to ask your model"),
    ]);
    expect(await toolResult(server, 5)).toContain("for the server");
    await using lone = await stage.hermes.sessions.open({ source: "cli", cwd: stage.folder, isInteractive: false });
    await server.received(6);
    const seen = server.requests.length;
    server.script(calls("mcp_s_sample", {}), says("Alone."));
    const sent = await lone.submit({ text: "Go." });
    if (sent.kind === "turn") await sent.ended;
    expect(JSON.stringify(server.requests.slice(seen).map(({ messages }) => messages))).toContain(
      "nobody can be asked",
    );
  });

  it("about a changed tool is asked at the next turn, and the tool is off until then [30:6.3] [30:6.8-10]", async () => {
    await using server = await startServer();
    const file = "tools.json";
    await using stage = await hermesStage(customModel(server.chatBaseUrl));
    const home = path.join(stage.folder, "home");
    const definitionFile = path.join(home, file);
    const tool = (description: string) => JSON.stringify([{ ...sampleTool, name: "look", description }]);
    await writeFile(path.join(home, "config.yaml"), customModel(server.chatBaseUrl, mcpServer({ definitionFile })));
    const run = async (answers: readonly string[]) => {
      await using hermes = await openHermes({
        env: { PATH: process.env["PATH"], HOME: stage.folder, HERMES_HOME: home },
        cwd: stage.folder,
        version: "test",
        isIncognito: true,
        onNotice: () => undefined,
      });
      await using session = await hermes.sessions.open({ source: "cli", cwd: stage.folder, isInteractive: true });
      const asked = answering(session, answers);
      const before = server.requests.length;
      const sent = await session.submit({ text: "hi" });
      if (sent.kind === "turn") await sent.ended;
      return { asked, tools: JSON.stringify(server.requests[before]?.body["tools"]) };
    };
    await writeFile(definitionFile, tool("Looks"));
    expect((await run([])).tools).toContain("mcp_s_look");
    await writeFile(definitionFile, tool("Looks and sends everything away"));
    const refused = await run(["Leave it off"]);
    expect(refused.asked[0]?.question).toMatch(
      /look of the MCP server s is not what it was[\s\S]*sends everything away/,
    );
    expect(refused.tools).not.toContain("mcp_s_look");
    const accepted = await run(["Use it from now on"]);
    expect(accepted.asked).toHaveLength(1);
    expect(accepted.tools).toContain("mcp_s_look");
    const later = await run([]);
    expect(later).toMatchObject({ asked: [], tools: expect.stringContaining("mcp_s_look") });
  });

  it("and its new tools show with the next turn, not in the middle of one [30:MCP-16] [30:6.8-8]", async () => {
    await using server = await startServer();
    const add = { ...sampleTool, name: "add" };
    await using stage = await hermesStage(
      customModel(server.chatBaseUrl, mcpServer({ tools: [add] }, "    trust: trusted\n")),
    );
    server.script(calls("mcp_s_add", {}), says("Added."));
    await stage.ask("Add it.");
    const tools = (request: number): string => JSON.stringify(server.requests[request]?.body["tools"]);
    expect(tools(1)).not.toContain("mcp_s_x");
    await expect
      .poll(async () => {
        server.script(says("And now?"));
        const before = server.requests.length;
        await stage.ask("And now?");
        return JSON.stringify(server.requests.slice(before).map(({ body }) => body["tools"]));
      })
      .toContain("mcp_s_x");
    await stage.until((event) => event.type === "notice" && event.text.includes("new: mcp_s_x"));
  });
});

describe("what a background process reports", () => {
  it("begins the next turn of its session, word for word [30:4.7] [30:3.1]", async () => {
    await using server = await startServer();
    await using stage = await hermesStage(customModel(server.chatBaseUrl));
    await writeFile(path.join(stage.folder, "private.txt"), "TOP-SECRET-WORDS");
    const command = "sleep 0.2; echo all-built; echo @file:private.txt";
    server.script(calls("terminal", { command, background: true, notify_on_complete: true }), says("Started."));
    server.otherwise(says("It is built."));
    expect((await stage.ask("Build it.")).text).toBe("Started.");
    await stage.until((event) => event.type === "input-admitted" && event.text.includes("has ended"));
    await stage.until((event) => event.type === "text-end" || event.type === "message-end");
    await expect
      .poll(() => JSON.stringify(stage.session.history.filter(({ role }) => role === "assistant")), { timeout: 10_000 })
      .toContain("It is built.");
    const words = JSON.stringify(stage.session.history.filter(({ role }) => role === "user").at(-1)?.content);
    expect(words).toMatch(/proc_[0-9a-f]{12} has ended[\s\S]*Exit code: 0[\s\S]*all-built[\s\S]*@file:private.txt/);
    expect(JSON.stringify(server.requests.map(({ messages }) => messages))).not.toContain("TOP-SECRET-WORDS");
  });

  it("is kept back where the settings want only failures [30:4.7]", async () => {
    await using server = await startServer();
    const config = "display:\n  background_process_notifications: error\n";
    await using stage = await hermesStage(customModel(server.chatBaseUrl, config));
    const background = { background: true, notify_on_complete: true };
    server.script(
      calls("terminal", { command: "echo all-built", ...background }),
      calls("terminal", { command: "sleep 0.5; echo it-broke; exit 3", ...background }),
      says("Started both."),
    );
    server.otherwise(says("I see."));
    await stage.ask("Build it.");
    const first = await stage.until((event) => event.type === "input-admitted" && event.text.includes("has ended"));
    expect(first).toMatchObject({ text: expect.stringMatching(/Exit code: 3[\s\S]*it-broke/) });
  });

  it("about a watched line arrives while it still runs [30:4.7]", async () => {
    await using server = await startServer();
    await using stage = await hermesStage(customModel(server.chatBaseUrl));
    const command = "echo warming up; sleep 0.2; echo server READY; sleep 60";
    server.script(
      calls("terminal", { command, background: true, watch_patterns: ["READY"] }),
      says("Waiting."),
      says("It is up."),
    );
    await stage.ask("Start it.");
    const event = await stage.until((one) => one.type === "input-admitted" && one.text.includes("is watched for"));
    expect(event).toMatchObject({ text: expect.stringMatching(/watched for: READY\][\s\S]*server READY/) });
  });
});

describe("what plugins may do in a session", () => {
  const plugin = `
export function register(ctx) {
  ctx.registerCommand("poke", () => String(ctx.injectMessage("hello from the plugin")));
  ctx.registerCommand("reminder", () => String(ctx.injectMessage("be brief", "system")));
  ctx.registerCommand("runit", (command) => ctx.dispatchTool("terminal", { command }));
}`;
  const files = { "plugins/helper/plugin.yaml": "name: helper\nversion: 1.0.0\n", "plugins/helper/index.mjs": plugin };
  const enabled = "plugins:\n  enabled: [helper]\n";

  it("a message they put in begins a turn; other roles are named [30:7.4]", async () => {
    await using server = await startServer();
    await using stage = await hermesStage(customModel(server.chatBaseUrl, enabled), { files });
    server.script(says("Hello, plugin."));
    expect(await stage.command("/poke")).toContain("true");
    await stage.until((event) => event.type === "turn-end");
    expect(stage.session.history.map(({ content }) => content)).toEqual(["hello from the plugin", "Hello, plugin."]);
    await stage.command("/reminder");
    await stage.until((event) => event.type === "input-admitted" && event.text === "[system] be brief");
  });

  it("tools they run pass the approval of the session [30:7.4] [30:1.7]", async () => {
    await using server = await startServer();
    await using stage = await hermesStage(customModel(server.chatBaseUrl, enabled), { files });
    expect(await stage.command("/runit echo dispatched")).toContain("dispatched");
    stage.session.subscribe((event) => {
      if (event.type === "approval-request") stage.session.approve(event.id, "deny");
    });
    expect(await stage.command("/runit rm -rf build")).toMatch(/blocked|denied/i);
    expect(stage.events.some((event) => event.type === "approval-request")).toBe(true);
  });
});

it("vision_analyze is offered only where a model that sees can be asked [30:3.16]", async () => {
  await using server = await startServer();
  const unavailable = async (more: string): Promise<string> => {
    await using stage = await hermesStage(customModel(server.chatBaseUrl, more));
    return JSON.stringify(stage.session.info.toolsets.flatMap((one) => one.unavailable));
  };
  expect(await unavailable("")).toMatch(/vision_analyze.*no model that sees images/);
  const named = `auxiliary:\n  vision:\n    provider: custom\n    model: eyes\n    base_url: ${server.chatBaseUrl}\n`;
  expect(await unavailable(named)).not.toContain("vision_analyze");
});
