import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { calls, fails, says, startModelServer } from "../fakes/model-server/index.ts";
import { modelConfig, Stage } from "./support/stage.ts";

const reviewer = [
  "---",
  "description: Reviews a change",
  "model: other-model",
  "tools: read_file",
  "---",
  "You review code and are strict.",
].join("\n");

async function write(folder: string, name: string, text: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, name), text);
}

describe("a child that changes what its parent has read", () => {
  it("is told to the parent with the child's report [10:DELEG-1]", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl), files: { "a.txt": "one\n" } });
    model.script(
      calls("read_file", { path: "a.txt" }),
      calls("delegate_task", { goal: "Make it two." }),
      calls("read_file", { path: "a.txt" }),
      calls("write_file", { path: "a.txt", content: "two\n" }),
      says("It is two now."),
      says("Done."),
    );
    await stage.ask("Change it.");
    const report = JSON.stringify((await model.received(6)).messages.at(-1));
    expect(report).toMatch(/It is two now\.[\s\S]*It changed files that you had read: [^ ]*a\.txt/);
  });
});

describe("a child whose provider is down", () => {
  it("goes on with the first fallback of its parent, and the parent with its own model [20:A5.10]", async () => {
    await using model = await startModelServer({ strict: true });
    await using other = await startModelServer({ strict: true });
    const fallback = `fallback_providers:\n  - {provider: custom, model: other-model, base_url: "${other.chatBaseUrl}"}\n`;
    const quiet = "auxiliary:\n  title_generation: {enabled: false}\n";
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl, `${fallback}${quiet}`) });
    const down = fails(503, { message: "down", retryAfterMs: 1 });
    model.script(calls("delegate_task", { goal: "Count the lines." }), down, down, down, says("Three, it says."));
    other.script(says("There are three."));
    expect(await stage.ask("How many?")).toMatchObject({ final_response: "Three, it says.", fallback_used: false });
    expect((await other.received(1)).model).toBe("other-model");
    expect(JSON.stringify((await other.received(1)).messages)).toContain("Count the lines.");
    expect(JSON.stringify((await model.received(5)).messages.at(-1))).toContain("There are three.");
    model.assertClean();
    other.assertClean();
  });
});

describe("an agent as a file", () => {
  it("is told of, and does a task with its own words, model and tools", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl) });
    await write(path.join(stage.home, "agents"), "reviewer.md", reviewer);
    model.script(
      calls("delegate_task", { goal: "Look at it.", agent: "reviewer" }),
      says("Line 3 is wrong."),
      says("Line 3 is wrong, it says."),
    );
    await stage.ask("Review it.");
    expect(JSON.stringify((await model.received(1)).messages)).toContain("- reviewer: Reviews a change");
    const child = await model.received(2);
    expect(child.model).toBe("other-model");
    expect(child.toolNames).toEqual(["read_file"]);
    expect(JSON.stringify(child.messages)).toContain("You review code and are strict.");
    expect(JSON.stringify((await model.received(3)).messages)).toContain("Line 3 is wrong.");
  });

  it("that nobody wrote is an error that names those there are; nothing is started", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl) });
    await write(path.join(stage.home, "agents"), "reviewer.md", reviewer);
    model.script(calls("delegate_task", { goal: "Look at it.", agent: "auditor" }), says("I will do it myself."));
    await stage.ask("Review it.");
    expect(JSON.stringify((await model.received(2)).messages.at(-1))).toMatch(
      /no agent .*auditor.*There are: reviewer/,
    );
  });

  it("of a project counts only where the folder is trusted, and is listed with what cannot be used", async () => {
    await using stage = await Stage.open({ files: { ".hermes/agents/local.md": reviewer } });
    await write(path.join(stage.home, "agents"), "broken.md", "no head");
    const untrusted = JSON.parse((await stage.run(["agents", "list", "--json"])).stdout) as Record<string, unknown>;
    expect(untrusted).toMatchObject({ agents: [], broken: [{ reason: expect.stringContaining("front matter") }] });
    const trusted = await stage.run(["agents", "list", "--json", "--trust-folder"]);
    expect(JSON.parse(trusted.stdout)).toMatchObject({
      agents: [{ name: "local", model: "other-model", tools: ["read_file"], origin: "project" }],
    });
    expect(trusted.code).toBe(1);
  });
});
