import { mkdir, readdir, symlink } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { calls, says, startModelServer } from "../fakes/model-server/index.ts";
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

/** The search path with one program less. */
async function pathWithout(name: string, folder: string): Promise<string> {
  await mkdir(folder);
  const folders = (process.env["PATH"] ?? "").split(path.delimiter).filter((one) => one !== "");
  const seen = new Set([name]);
  for (const one of folders) {
    for (const file of await readdir(one).catch(() => [])) {
      if (seen.has(file)) continue;
      seen.add(file);
      await symlink(path.join(one, file), path.join(folder, file));
    }
  }
  return folder;
}

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
