import { describe, expect, it } from "vitest";
import { Stage } from "./support/stage.ts";
import { ProgramTerminal } from "./support/terminal.ts";

const demo = ["--provider", "demo"];

describe("hermes sessions browse", () => {
  it("offers conversations with their folders, one-shot runs only when asked for, and goes on with the chosen one", async () => {
    await using stage = await Stage.open();
    {
      await using terminal = new ProgramTerminal(stage, demo);
      await terminal.answers(/demo/i);
      await terminal.say("the blue door");
      await terminal.answers("/connect");
      terminal.press("\x04");
      await terminal.exited;
    }
    await stage.run(["chat", "-q", "the quick question", ...demo]);
    {
      await using all = new ProgramTerminal(stage, ["sessions", "browse", "--one-shots"]);
      await all.sees(/Which session\?[\s\S]*the quick question[\s\S]*the blue door/);
      all.press("\x1b");
      await all.exited;
    }
    await using browse = new ProgramTerminal(stage, ["sessions", "browse"]);
    const listed = await browse.sees(/Which session\?[\s\S]*the blue door/);
    expect(listed).toMatch(/\d+ messages · [^\n]*work/);
    expect(listed).not.toContain("the quick question");
    browse.press("\r");
    await browse.sees("Previous Conversation");
  });
});
