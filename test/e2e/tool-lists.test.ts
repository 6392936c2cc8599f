import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { calls, says, startModelServer } from "../fakes/model-server/index.ts";
import { modelConfig, root, Stage } from "./support/stage.ts";
import { ProgramTerminal } from "./support/terminal.ts";

const inputSchema = { type: "object", properties: {} };
const quiet = "auxiliary:\n  title_generation: {enabled: false}\n";
/** Two that name each other, one with a tool that the other's toolset has as well. */
const circle = "custom_toolsets:\n  desk: [shelf, file, todo]\n  shelf: [desk, read_file, terminal]\n";
const onTheDesk = ["patch", "process", "read_file", "search_files", "terminal", "todo", "write_file"];

describe("toolsets of one's own", () => {
  it("expand to every tool once, also in a circle [30:TS-01] [30:TS-04]", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl, `${circle}${quiet}`) });
    model.otherwise(says("Hi."));
    await stage.ask("hello", "-t", "desk");
    const { toolNames } = await model.received(1);
    expect(toolNames.toSorted()).toEqual(onTheDesk);
  });

  it("are what an environment asks for by name [30:TS-05]", async () => {
    await using model = await startModelServer();
    model.otherwise(says("4"));
    const source = `export const environment = {
  name: "sums", about: "Sums", config: { enabled_toolsets: ["shelf"], group_size: 1, total_steps: 1, ensure_scores_are_not_same: false },
  async open() { return { next: () => "2 + 2", evaluation: [], prompt: (item) => item, reward: async () => 1 }; },
};`;
    await using stage = await Stage.open({
      config: modelConfig(model.chatBaseUrl, circle),
      files: { "sums.mjs": source },
    });
    const ran = await stage.run(["env", "./sums.mjs", "process"]);
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    expect((await model.received(1)).toolNames.toSorted()).toEqual(onTheDesk);
  });
});

describe("what tools there are", () => {
  it("is told with their toolsets and descriptions, and in the chat with what a tool that cannot be used is missing [30:1.12]", async () => {
    await using model = await startModelServer();
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl) });
    const { stdout } = await stage.run(["tools", "list", "--json"]);
    const { toolsets } = JSON.parse(stdout) as { toolsets: Record<string, unknown>[] };
    expect(toolsets.find((one) => one["name"] === "file")).toMatchObject({
      description: expect.stringMatching(/\S/),
      tools: ["patch", "read_file", "search_files", "write_file"],
    });
    const shown = (await stage.run(["chat", "-q", "/tools", "-Q"])).stdout;
    expect(shown).toMatch(/read_file +file +on/);
    expect(shown).toMatch(/image_generate +unavailable: no image service is configured/);
  });
});

describe("whether a tool can be used", () => {
  it("is asked once for many turns, and a check that never answers only takes its own tool away [30:REG-21]", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({
      config: modelConfig(model.chatBaseUrl, `plugins:\n  enabled: [probed]\n${quiet}`),
    });
    const folder = path.join(stage.home, "plugins", "probed");
    const asked = path.join(stage.folder, "asked");
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, "plugin.yaml"), "name: probed\nversion: 1.0.0\ndescription: Probes\n");
    await writeFile(
      path.join(folder, "index.mjs"),
      `import { appendFileSync } from "node:fs";
const tool = (name, checkFn) => ({ name, toolset: "probed", description: name, schema: { type: "object", properties: {} }, checkFn, handler: () => "ok" });
export function register(ctx) {
  ctx.registerTool(tool("ready_one", async () => { appendFileSync(${JSON.stringify(asked)}, "x"); return true; }));
  ctx.registerTool(tool("stuck_one", () => new Promise(() => undefined)));
}`,
    );
    model.script(says("First."), says("Second."));
    await using terminal = new ProgramTerminal(stage, []);
    await terminal.sees("❯");
    await terminal.say("one");
    await terminal.answers("First.");
    await terminal.say("two");
    await terminal.answers("Second.");
    for (const { toolNames } of [await model.received(1), await model.received(2)]) {
      expect(toolNames).toContain("ready_one");
      expect(toolNames).not.toContain("stuck_one");
    }
    expect(await readFile(asked, "utf8")).toBe("x");
  });
});

describe("MCP servers of a chat", () => {
  const fake = path.join(root, "test/fakes/mcp-server/server.mjs");
  const plan = JSON.stringify({
    tools: ["hang", "cancelled"].map((name) => ({ name, description: name, inputSchema })),
  });
  const servers = `mcp_servers: ${JSON.stringify({
    fine: { command: process.execPath, args: [fake, plan], trust: "trusted" },
    broken: { command: "/no/such/program" },
  })}\n`;

  it("are told with their state, and a call that is interrupted is taken back [30:MCP-05] [30:MCP-19]", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl, `${servers}${quiet}`) });
    await using terminal = new ProgramTerminal(stage, []);
    await terminal.sees("❯");
    model.script(calls("mcp_fine_hang", {}), calls("mcp_fine_cancelled", {}), says("It was taken back."));
    await terminal.say("hang there");
    await terminal.sees("mcp_fine_hang");
    await expect.poll(() => readFile(path.join(stage.home, "logs/mcp-fine.log"), "utf8")).toContain("hanging");
    terminal.press("\x03");
    await terminal.answers("Stopped. What should Hermes do instead?");
    await terminal.say("was it?");
    await terminal.answers("It was taken back.");
    const told = JSON.stringify((await model.received(3)).messages);
    expect(told).toContain("MCP call interrupted by the user");
    expect(told).toMatch(/result[^a-z]+\[\d/);
    await terminal.say("/mcp");
    await terminal.sees(/fine +│ connected +│ 2/);
    await terminal.sees(/broken +│ waiting to try again: .*\/no\/such\/program/);
  });
});
