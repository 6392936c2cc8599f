import { describe, expect, it } from "vitest";
import { says, startModelServer } from "../fakes/model-server/index.ts";
import { modelConfig, Stage } from "./support/stage.ts";
import { ProgramTerminal } from "./support/terminal.ts";

describe("the built program in scripts", () => {
  it.each([
    ["-z", ["-z", "review this"]],
    ["chat -q", ["chat", "-q", "review this"]],
    ["words alone", ["review this"]],
  ])("takes both words and piped data: %s [20:R8.8]", async (_name, args) => {
    await using model = await startModelServer();
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl) });
    model.otherwise(says("Fine."));
    const ran = await stage.run(args, { input: "+one\n-two\n" });
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining("Fine.") });
    expect(JSON.stringify(model.requests[0]?.messages)).toContain("review this\\n\\n+one\\n-two");
  });

  it("keeps standard output to the answer [20:R8.8]", async () => {
    await using model = await startModelServer();
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl) });
    model.otherwise(says("Fine."));
    expect((await stage.run(["chat", "-q", "hi"])).stdout.trim()).toBe("Fine.");
  });

  it("lets no answer steer the terminal", async () => {
    await using model = await startModelServer();
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl) });
    model.otherwise(says("a\u001b]0;PWNED\u0007b\u001b[2Jc"));
    await using terminal = new ProgramTerminal(stage, ["-z", "hi"]);
    await terminal.exited;
    expect(await terminal.text()).toContain("abc");
  });

  it.each([
    [["--cwd", "/nope", "-z", "hi"], "There is no folder /nope."],
    [["--config", "/nope.yaml", "-z", "hi"], "There is no file /nope.yaml."],
    [["help", "nosuch"], 'There is no command "nosuch".'],
  ])("refuses %j", async (args, message) => {
    await using stage = await Stage.open();
    expect(await stage.run(args)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });
});

describe("configuration commands", () => {
  it("keep a working set-up: model set leaves address and key, and refuses what the server does not have", async () => {
    await using model = await startModelServer({ models: [{ id: "lab-large" }, { id: "lab-small" }] });
    model.otherwise(says("Fine."));
    await using stage = await Stage.open();
    const set = ["setup", "--non-interactive", "--provider", "custom", "--base-url", model.chatBaseUrl];
    expect(await stage.run([...set, "--model", "lab-large"])).toMatchObject({ code: 0 });
    expect(await stage.run(["model", "set", "lab-small"])).toMatchObject({ code: 0 });
    expect(await stage.run(["-z", "hi"])).toMatchObject({ code: 0, stdout: "Fine.\n" });
    const refused = await stage.run(["model", "set", "lab-smal"]);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("Did you mean lab-small?") });
  });

  it("read custom:name:model after -m as after /model, and take window and images from the server's list", async () => {
    const extra = { context_length: 1_000_000, architecture: { input_modalities: ["text", "image"] } };
    const listed = { id: "big", extra };
    await using model = await startModelServer({ models: [listed, { id: "other" }] });
    model.otherwise(says("Fine."));
    const config = `custom_providers:\n  - name: lab\n    base_url: ${model.chatBaseUrl}\n`;
    await using stage = await Stage.open({ config });
    expect(await stage.run(["-z", "hi", "-m", "custom:lab:big"])).toMatchObject({ code: 0 });
    expect(model.requests.at(-1)?.body).toMatchObject({ model: "big" });
    await using terminal = new ProgramTerminal(stage, ["-m", "custom:lab:big"]);
    await terminal.sees("1M context");
    await terminal.say("/model custom:lab:bigg");
    await terminal.sees("Did you mean big?");
  });
});
