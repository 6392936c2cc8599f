import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { calls, says, startModelServer } from "../fakes/model-server/index.ts";
import { pathWithout } from "./support/path-without.ts";
import { modelConfig, Stage } from "./support/stage.ts";
import { ProgramTerminal } from "./support/terminal.ts";

const fakeServer = fileURLToPath(new URL("../fakes/mcp-server/server.mjs", import.meta.url));
const open = { type: "object", properties: { method: { type: "string" }, params: { type: "object" } } };
const plan = JSON.stringify({ tools: [{ name: "ask", description: "Asks the client", inputSchema: open }] });
const servers = `mcp_servers:\n  shop:\n    command: ${JSON.stringify(process.execPath)}\n    args: ${JSON.stringify([fakeServer, plan])}\n`;
const form = {
  message: "Where to?",
  requestedSchema: {
    type: "object",
    properties: { city: { type: "string" }, express: { type: "boolean" } },
    required: ["city", "express"],
  },
};

describe("the built program on a screen", () => {
  it("puts the questions of an MCP server to the person, and hands the answers back [30:6.5]", async () => {
    await using model = await startModelServer({ strict: true });
    model.otherwise(says("A title"));
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl, servers) });
    await using terminal = new ProgramTerminal(stage, []);
    await terminal.sees("❯");
    model.script(calls("mcp_shop_ask", { method: "elicitation/create", params: form }), says("On its way."));
    await terminal.say("Send it.");
    await terminal.sees(/The MCP server shop asks: Where to\?/);
    await terminal.say("Bern");
    await terminal.sees(/express[\s\S]*Enter/);
    terminal.press("\r");
    await terminal.answers("On its way.");
    const told = JSON.stringify((await model.received(2)).messages.at(-1));
    expect(told).toMatch(/accept.*city.*Bern.*express.*true/);
  });

  it("begins a turn by itself when a background process ends [30:4.7]", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl) });
    await using terminal = new ProgramTerminal(stage, []);
    await terminal.sees("❯");
    const command = "sleep 0.3; echo all-built";
    model.script(calls("terminal", { command, background: true, notify_on_complete: true }), says("Started it."));
    model.otherwise(says("The build is done."));
    await terminal.say("Build it.");
    await terminal.sees("Started it.");
    const text = await terminal.answers("The build is done.");
    expect(text).toMatch(/The background process proc_[0-9a-f]{12} has ended/);
    expect(text).toContain("all-built");
  });
});

describe("sudo on a machine without it", () => {
  it("asks nobody for a password; the shell says what is missing", async () => {
    await using model = await startModelServer({ strict: true });
    const config = modelConfig(model.chatBaseUrl, "auxiliary: { title_generation: { enabled: false } }\n");
    await using stage = await Stage.open({ config });
    const PATH = await pathWithout("sudo", path.join(stage.folder, "bin"));
    await using terminal = new ProgramTerminal(stage, [], { PATH });
    await terminal.sees("❯");
    model.script(calls("terminal", { command: "sudo true" }), says("There is no sudo."));
    await terminal.say("Do it as root.");
    await terminal.choose("o");
    expect(await terminal.answers("There is no sudo.")).not.toContain("Password for sudo");
    expect(JSON.stringify((await model.received(2)).messages.at(-1))).toContain("sudo: command not found");
  });
});

describe.skipIf(process.platform !== "linux")("an MCP server where no sandbox works", () => {
  it.each([
    ["s", true],
    ["d", false],
  ])("is started when the person says so, answering %s", async (key, isStarted) => {
    await using model = await startModelServer({ strict: true });
    model.otherwise(says("Hello."));
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl, servers) });
    const PATH = await pathWithout("bwrap", path.join(stage.folder, "bin"));
    await using terminal = new ProgramTerminal(stage, [], { PATH });
    await terminal.sees("❯");
    await terminal.say("Hi.");
    await terminal.sees(/would have your own rights/);
    await terminal.choose(key);
    await terminal.answers("Hello.");
    expect((await model.received(1)).toolNames.includes("mcp_shop_ask")).toBe(isStarted);
  });

  it("is not started, and does not stop a script that nobody answers", async () => {
    await using model = await startModelServer({ strict: true });
    model.otherwise(says("Hello."));
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl, servers) });
    const PATH = await pathWithout("bwrap", path.join(stage.folder, "bin"));
    expect(await stage.run(["chat", "-q", "hi", "-Q"], { env: { PATH } })).toMatchObject({
      code: 0,
      stdout: "Hello.\n",
    });
    expect((await model.received(1)).toolNames).not.toContain("mcp_shop_ask");
  });
});
