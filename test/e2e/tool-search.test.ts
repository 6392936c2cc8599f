import { cp } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { calls, says, startModelServer } from "../fakes/model-server/index.ts";
import { modelConfig, root, Stage } from "./support/stage.ts";
import { ProgramTerminal } from "./support/terminal.ts";

const fakeServer = fileURLToPath(new URL("../fakes/mcp-server/server.mjs", import.meta.url));
const schema = { type: "object", properties: { invoice_number: { type: "string" } } };
const names = ["echo", "add", "erase", ...Array.from({ length: 40 }, (_, at) => `thing${at}`)];
const plan = JSON.stringify({
  tools: names.map((name) => ({
    name,
    description: name === "echo" ? "Sends a reminder for an unpaid bill" : `Does ${name}`,
    inputSchema: schema,
  })),
});
const servers = `mcp_servers:\n  shop:\n    command: ${JSON.stringify(process.execPath)}\n    args: ${JSON.stringify([fakeServer, plan])}\n`;

interface Received {
  readonly messages: readonly Record<string, unknown>[];
  readonly body: Record<string, unknown>;
}
const told = ({ messages }: Pick<Received, "messages">): string => JSON.stringify(messages.at(-1)?.["content"]);
const toolsOf = ({ body }: Pick<Received, "body">): string => JSON.stringify(body["tools"]);

describe("tools on demand", () => {
  it("are left out of requests, found by what they do, and called as themselves, while what the model is shown stays the same", async () => {
    await using model = await startModelServer({ strict: true });
    model.otherwise(says("A title"));
    await using stage = await Stage.open({
      config: modelConfig(
        model.chatBaseUrl,
        `${servers}tool_search:\n  mode: "on"\npermissions:\n  deny: ["mcp(shop/erase)"]\nauxiliary:\n  title_generation:\n    enabled: false\n`,
      ),
    });
    await using terminal = new ProgramTerminal(stage, []);
    await terminal.sees("❯");
    model.script(
      calls("tool_search", { query: "remind somebody of an unpaid bill" }),
      calls("tool_call", { name: "mcp_shop_echo", arguments: { invoice_number: "A-17" } }),
      calls("tool_call", { name: "mcp_shop_erase", arguments: {} }),
      calls("tool_call", { name: "mcp_shop_nothing" }),
      calls("tool_call", { name: "mcp_shop_add" }),
      says("Reminded."),
    );
    await terminal.say("Remind them.");
    await terminal.answers("Reminded.");
    // The screen names the tool that ran.
    expect(await terminal.text()).toMatch(/🔌 mcp_shop_echo .*A-17/);
    model.script(calls("tool_search", { query: "mcp_shop_x" }), says("There it is."));
    await terminal.say("And the new one?");
    await terminal.sees("a digit, or ↑ ↓ and Enter");
    terminal.press("\r");
    await terminal.answers("There it is.");

    expect(told(await model.received(2))).toMatch(/mcp_shop_echo[\s\S]*invoice_number/);
    expect(told(await model.received(2))).not.toContain("thing7");
    expect(told(await model.received(3))).toContain("A-17");
    expect(told(await model.received(4))).toContain("mcp(shop/erase)");
    expect(told(await model.received(5))).toContain("There is no tool mcp_shop_nothing");
    // The server has one tool more since the first turn.
    expect(told(await model.received(8))).toContain("mcp_shop_x");
    const shown = model.requests.map((request) => toolsOf(request as unknown as Received));
    expect(new Set(shown).size).toBe(1);
    expect(shown[0]).toContain('"tool_search"');
    expect(shown[0]).not.toContain("mcp_shop_echo");
  });

  it("may be those of a plugin", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({
      config: modelConfig(model.chatBaseUrl, 'tool_search:\n  mode: "on"\nplugins:\n  enabled: [word-count]\n'),
    });
    await cp(path.join(root, "examples/plugins/word-count"), path.join(stage.home, "plugins/word-count"), {
      recursive: true,
    });
    model.script(
      calls("tool_search", { query: "count words" }),
      calls("tool_call", { name: "word_count", arguments: { text: "three small words" } }),
      says("Three."),
    );
    expect(await stage.ask("Count.")).toMatchObject({ final_response: "Three." });
    expect(told(await model.received(2))).toContain("word_count");
    expect(told(await model.received(3))).toContain('\\"words\\":3');
    const shown = model.requests.map((request) => toolsOf(request as unknown as Received));
    expect(new Set(shown).size).toBe(1);
    expect(shown[0]).not.toContain("word_count");
  });

  it("are shown as always while they are few", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl, servers) });
    model.script(says("Hi."));
    await stage.ask("hello");
    const shown = toolsOf((await model.received(1)) as unknown as Received);
    expect(shown).toContain("mcp_shop_echo");
    expect(shown).not.toContain("tool_search");
  });

  it("are for children, too", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({
      config: modelConfig(model.chatBaseUrl, `${servers}tool_search:\n  mode: "on"\n`),
    });
    model.script(
      calls("delegate_task", { goal: "Remind them." }),
      calls("tool_call", { name: "mcp_shop_echo", arguments: { invoice_number: "B-4" } }),
      says("The child is done."),
      says("All done."),
    );
    expect(await stage.ask("go")).toMatchObject({ final_response: "All done." });
    expect(told(await model.received(3))).toContain("B-4");
    expect(toolsOf((await model.received(2)) as unknown as Received)).not.toContain("mcp_shop_echo");
  });
});
