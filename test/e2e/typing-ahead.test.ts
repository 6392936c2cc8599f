import { existsSync } from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { calls, says, startModelServer } from "../fakes/model-server/index.ts";
import { modelConfig, Stage } from "./support/stage.ts";
import { ProgramTerminal } from "./support/terminal.ts";

describe("typing ahead in the built program", () => {
  it("never approves what appears meanwhile, and the sentence stays in the editor [20:R10.34]", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({
      config: modelConfig(model.chatBaseUrl),
      files: { "d3/kept.txt": "x" },
    });
    await using terminal = new ProgramTerminal(stage, []);
    await terminal.sees("❯");
    model.script(
      calls("terminal", { command: "sleep 0.5" }),
      calls("terminal", { command: "rm -rf d3" }),
      says("As you say."),
    );
    await terminal.say("clean up");
    await terminal.sees("sleep 0.5");
    const sentence = "we go to tool books on our own and also sort all days";
    for (const letter of sentence) {
      terminal.press(letter);
      // The speed of a person who types: the test is about what such a person meets.
      await wait(50);
    }
    await terminal.sees("Allow once");
    await terminal.sees(`❯ ${sentence}`);
    terminal.press("\r");
    await terminal.sees(/typing never answers|choose first/);
    expect(existsSync(path.join(stage.work, "d3/kept.txt"))).toBe(true);
    terminal.press("\x1b");
    await terminal.sees("As you say.");
    expect(existsSync(path.join(stage.work, "d3/kept.txt"))).toBe(true);
  });
});
