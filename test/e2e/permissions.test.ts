import { existsSync } from "node:fs";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { calls, says, startModelServer } from "../fakes/model-server/index.ts";
import { modelConfig, Stage } from "./support/stage.ts";
import { ProgramTerminal } from "./support/terminal.ts";

const rules = (lists: Readonly<Record<string, readonly string[]>>) => `permissions: ${JSON.stringify(lists)}\n`;
const fakeServer = fileURLToPath(new URL("../fakes/mcp-server/server.mjs", import.meta.url));
const schema = { type: "object", properties: {} };
const plan = JSON.stringify({
  tools: ["list", "erase"].map((name) => ({ name, description: name, inputSchema: schema })),
});
const servers = `mcp_servers:\n  shop:\n    command: ${JSON.stringify(process.execPath)}\n    args: ${JSON.stringify([fakeServer, plan])}\n`;

/** What the model was told about its last call. */
type Received = { readonly messages: readonly Record<string, unknown>[] };
const told = ({ messages }: Received): string => JSON.stringify(messages.at(-1)?.["content"]);

describe("rules about calls", () => {
  it("of the home decide by command, tool, path and domain, and the model learns which rule did", async () => {
    await using model = await startModelServer({ strict: true });
    const config = rules({
      deny: ["command(git push *)", "path(private)", "domain(example.org)", "memory"],
      allow: ["command(rm -rf build)", "command(git *)"],
    });
    await using stage = await Stage.open({
      config: modelConfig(model.chatBaseUrl, config),
      files: { "private/plan.txt": "the plan", "build/x": "x", "src/x": "x" },
    });
    await symlink(path.join(stage.work, "private"), path.join(stage.work, "open"));
    model.script(
      calls("terminal", { command: "cd . && git push origin main" }),
      calls("terminal", { command: "rm -rf build" }),
      calls("terminal", { command: "rm -rf src" }),
      calls("read_file", { path: "open/plan.txt" }),
      calls("web_extract", { urls: ["https://www.example.org/x"] }),
      calls("memory", { action: "add", target: "memory", content: "x" }),
      says("Done."),
    );
    await stage.ask("go", "-t", "terminal,file,web,memory");
    expect(told(await model.received(2))).toContain("command(git push *)");
    expect(existsSync(path.join(stage.work, "build"))).toBe(false);
    // No rule allows it, and nobody can be asked.
    expect(existsSync(path.join(stage.work, "src", "x"))).toBe(true);
    expect(told(await model.received(5))).toContain("path(private)");
    expect(told(await model.received(5))).not.toContain("the plan");
    expect(told(await model.received(6))).toContain("domain(example.org)");
    expect(told(await model.received(7))).toMatch(/the rule deny .*memory.* of config.yaml/);
  });

  it("about paths hold for programs, too", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({
      config: modelConfig(model.chatBaseUrl, rules({ deny: ["path(private)"] })),
      files: { "private/plan.txt": "the plan" },
    });
    model.script(calls("terminal", { command: "cat private/plan.txt; cat private/*" }), says("Done."));
    await stage.ask("go", "-t", "terminal", "--yolo");
    expect(told(await model.received(2))).not.toContain("the plan");
  });

  it("about MCP servers name a server, or one of its tools", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({
      config: modelConfig(model.chatBaseUrl, `${servers}${rules({ deny: ["mcp(shop/erase)"] })}`),
    });
    model.script(calls("mcp_shop_erase", {}), calls("mcp_shop_list", {}), says("Done."));
    await stage.ask("go");
    expect(told(await model.received(2))).toContain("mcp(shop/erase)");
    expect(told(await model.received(3))).not.toContain("the rule");
  });

  it("of a project count once a person trusts the folder, and a deny of the home stays one", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({
      config: modelConfig(model.chatBaseUrl, rules({ deny: ["command(rm -rf kept)"] })),
      files: {
        ".hermes/permissions.yaml": 'allow: ["command(rm -rf *)"]\n',
        "build/x": "x",
        "kept/x": "x",
      },
    });
    const both = () =>
      model.script(
        calls("terminal", { command: "rm -rf build" }),
        calls("terminal", { command: "rm -rf kept" }),
        says("Done."),
      );
    both();
    await stage.ask("go", "-t", "terminal");
    expect(existsSync(path.join(stage.work, "build"))).toBe(true);
    both();
    await stage.ask("go", "-t", "terminal", "--trust-folder");
    expect(existsSync(path.join(stage.work, "build"))).toBe(false);
    expect(existsSync(path.join(stage.work, "kept"))).toBe(true);
  });

  it("deny goes before ask and ask before allow, whoever wrote them", async () => {
    await using model = await startModelServer({ strict: true });
    const home = rules({ allow: ["command(ls *)", "command(pwd)", "mcp(shop)"], ask: ["command(ls *)"] });
    await using stage = await Stage.open({
      config: modelConfig(model.chatBaseUrl, `${servers}${home}`),
      files: {
        ".hermes/permissions.yaml":
          'deny: ["command(pwd)", "mcp(shop/erase)"]\nallow: ["command(ls *)", "command(date)"]\n',
      },
    });
    model.script(
      calls("terminal", { command: "ls out" }),
      calls("terminal", { command: "pwd" }),
      calls("terminal", { command: "date" }),
      calls("mcp_shop_erase", {}),
      says("Done."),
    );
    await stage.ask("go", "--trust-folder");
    // Asked about, and nobody is there.
    expect(told(await model.received(2))).toMatch(/the rule ask .*command\(ls \*\).* of config\.yaml/);
    expect(told(await model.received(3))).toMatch(/the rule deny .*command\(pwd\).* of \.hermes\/permissions\.yaml/);
    expect(told(await model.received(4))).toContain('\\"exit_code\\":0');
    expect(told(await model.received(5))).toContain("mcp(shop/erase)");
  });

  it("of a session name domains and MCP servers, too", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({
      config: modelConfig(model.chatBaseUrl, `${servers}auxiliary: { title_generation: { enabled: false } }\n`),
    });
    await using terminal = new ProgramTerminal(stage, []);
    await terminal.sees("❯");
    for (const rule of ["mcp(shop)", "domain(example.org)", "path(secret)", "memory"]) {
      await terminal.say(`/permissions deny ${rule}`);
      await terminal.answers(`In this session from now on: deny ${rule}`);
    }
    model.script(
      calls("mcp_shop_list", {}),
      calls("web_extract", { urls: ["https://www.example.org/x"] }),
      calls("read_file", { path: "secret/x" }),
      calls("memory", { action: "add", target: "memory", content: "x" }),
      says("All refused."),
    );
    await terminal.say("Try them.");
    await terminal.answers("All refused.");
    const refused = await Promise.all([2, 3, 4, 5].map(async (at) => told(await model.received(at))));
    expect(refused[0]).toContain("mcp(shop)");
    expect(refused[1]).toContain("domain(example.org)");
    expect(refused[2]).toContain("path(secret)");
    expect(refused[3]).toMatch(/the rule deny .*memory.* of this session/);
    await terminal.say("/permissions");
    await terminal.sees(/memory[\s\S]*this session/);
  });

  it("that cannot be read stop the program and say so", async () => {
    await using stage = await Stage.open({ config: rules({ deny: ["write_file(src)"] }) });
    const ran = await stage.run(["chat", "-q", "hi", "-Q", "-m", "demo"]);
    expect(ran.code).not.toBe(0);
    expect(ran.stderr).toMatch(/permissions: deny .*write_file\(src\).* is no rule/);
  });

  it("of a session are made in the chat, ask a person, and /permissions shows what each decided", async () => {
    await using model = await startModelServer({ strict: true });
    model.otherwise(says("A title"));
    await using stage = await Stage.open({
      config: modelConfig(model.chatBaseUrl, rules({ allow: ["command(ls *)"] })),
    });
    await mkdir(path.join(stage.work, "out"));
    await writeFile(path.join(stage.work, "out", "x"), "x");
    await using terminal = new ProgramTerminal(stage, []);
    await terminal.sees("❯");
    await terminal.say("/permissions ask command(ls out *)");
    await terminal.sees("In this session from now on: ask command(ls out *)");
    model.script(calls("terminal", { command: "ls out" }), says("Listed it."));
    await terminal.say("List it.");
    await terminal.sees(/the rule ask "command\(ls out \*\)"/);
    await terminal.choose("o");
    await terminal.answers("Listed it.");
    await terminal.say("/permissions");
    const text = await terminal.sees(/Permissions[\s\S]*ls out[\s\S]*this session/);
    expect(text).toMatch(/terminal: ls out/);
    const log = await readFile(path.join(stage.home, "logs", "approvals.jsonl"), "utf8");
    expect(log).toContain('"choice":"once"');
  });
});
