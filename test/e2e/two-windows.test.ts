import { describe, expect, it } from "vitest";
import { says, startModelServer } from "../fakes/model-server/index.ts";
import { modelConfig, Stage } from "./support/stage.ts";
import { ProgramTerminal } from "./support/terminal.ts";

const elsewhere = /open in another window \(process (\d+) on [^\s,]+,\s+since\s+\d\d:\d\d\)/;

describe("a conversation begun with /new", () => {
  it("belongs to the folder too: -c goes on with it there", async () => {
    await using model = await startModelServer({ strict: true });
    model.otherwise(says("Noted."));
    const config = modelConfig(model.chatBaseUrl, "auxiliary: { title_generation: { enabled: false } }\n");
    await using stage = await Stage.open({ config });
    {
      await using first = new ProgramTerminal(stage, []);
      await first.sees("❯");
      await first.say("the green door");
      await first.answers("Noted.");
      await first.say("/new");
      await first.sees(/0\/128K[^\n]*\n─+\n❯\s*\n/);
      await first.say("the yellow door");
      await first.answers(/yellow door[\s\S]*Noted\./);
      first.press("\x04");
      await first.exited;
    }
    await using again = new ProgramTerminal(stage, ["-c"]);
    expect(await again.sees("Previous Conversation")).toContain("yellow door");
  });

  it("is nothing to go on with until something was said in it: -c and /resume pass it over", async () => {
    await using model = await startModelServer({ strict: true, models: [{ id: "test-model" }, { id: "other-model" }] });
    model.otherwise(says("Noted."));
    const config = modelConfig(model.chatBaseUrl, "auxiliary: { title_generation: { enabled: false } }\n");
    await using stage = await Stage.open({ config });
    {
      await using first = new ProgramTerminal(stage, []);
      await first.sees("❯");
      await first.say("the green door");
      await first.answers("Noted.");
      await first.say("/new");
      await first.sees(/0\/128K[^\n]*\n─+\n❯\s*\n/);
      // What is chosen before the first message makes the session one of the store.
      await first.say("/model other-model");
      await first.answers("Now using other-model");
      first.press("\x04");
      await first.exited;
    }
    await using again = new ProgramTerminal(stage, ["-c"]);
    expect(await again.answers("Previous Conversation")).toContain("green door");
    await again.say("/resume");
    expect(await again.sees("(1; ↑ ↓ Enter")).toContain("2 messages");
  });
});

describe("one conversation in two windows", () => {
  it("is announced in the second when it opens, and in the first with its next turn; a window that is gone is not", async () => {
    await using model = await startModelServer({ strict: true });
    model.otherwise(says("Noted."));
    const config = modelConfig(model.chatBaseUrl, "auxiliary: { title_generation: { enabled: false } }\n");
    await using stage = await Stage.open({ config });
    await using first = new ProgramTerminal(stage, []);
    await first.sees("❯");
    await first.say("remember the blue door");
    await first.answers("Noted.");
    {
      await using second = new ProgramTerminal(stage, ["-c"]);
      const seen = await second.sees(elsewhere);
      expect(seen).toContain("blue door");
      expect(elsewhere.exec(seen)?.[1]).toBe(String(first.pid));
      await first.say("and the red one");
      expect(elsewhere.exec(await first.sees(elsewhere))?.[1]).toBe(String(second.pid));
      await first.answers(/red one[\s\S]*Noted\./);
    }
    first.press("\x04");
    await first.exited;
    await using alone = new ProgramTerminal(stage, ["-c"]);
    expect(await alone.answers("red one")).not.toContain("another window");
  });
});
