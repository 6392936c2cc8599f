import { describe, expect, it } from "vitest";
import { badKey, calls, hangAfter, type ModelServer, says, startModelServer } from "../fakes/model-server/index.ts";
import { ProgramClock } from "./support/set-clock.ts";
import { modelConfig, Stage } from "./support/stage.ts";
import { ProgramTerminal } from "./support/terminal.ts";

const untitled = "auxiliary: { title_generation: { enabled: false } }\n";

describe("stopping the built program", () => {
  it("Esc stops an answer; it is kept and marked, and the next request does not repeat the old one [20:R10.19] [10:LOOP-22]", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl) });
    model.otherwise(says("Here you are."));
    {
      await using terminal = new ProgramTerminal(stage, []);
      await terminal.sees("❯");
      model.script(hangAfter({ events: 6 }, says("Half of a long answer.", { fragments: 8 })));
      await terminal.say("slow go");
      await terminal.sees("Half");
      terminal.press("\x1b");
      await terminal.answers("Stopped. What should Hermes do instead?");
      // Too late to stop anything: it says what another one would do, and does nothing else.
      terminal.press("\x03");
      await terminal.sees("press Ctrl-C again to quit");
      await terminal.say("hello after stop");
      await terminal.answers("Here you are.");
      const spoken = requestWith(model, "(interrupted by the user)");
      expect(spoken.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
      expect(JSON.stringify(spoken[1])).toMatch(/Half.*interrupted by the user/);
      expect(JSON.stringify(spoken[2])).not.toContain("slow go");
      terminal.press("\x04");
      await terminal.exited;
    }
    await using again = new ProgramTerminal(stage, ["-c"]);
    await again.sees(/Half[\s\S]*interrupted by the user/);
  });

  it("Ctrl-C leaves one line behind; what a command answers in the middle of an answer does not take its name away [20:R10.28]", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl, untitled) });
    await using terminal = new ProgramTerminal(stage, []);
    await terminal.sees("❯");
    model.script(hangAfter({ events: 6 }, says("Half of a long answer.", { fragments: 8 })));
    await terminal.say("slow go");
    await terminal.sees("Half");
    await terminal.say("/queue later");
    await terminal.sees(/● slow go\s+● \/queue later\s+Queued \(1 ahead\)\.\s+⚕ Hermes\s+Half/);
    terminal.press("\x03");
    await terminal.sees(/What should Hermes do instead\?[\s\S]*❯ later/);
    expect(await terminal.text()).not.toMatch(/Stopping|again/);
  });

  it("a Ctrl-C that was meant for a turn that has just ended never quits, however often it is pressed [20:R10.19]", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl, untitled) });
    const clock = new ProgramClock(stage);
    await using terminal = new ProgramTerminal(stage, [], clock.env);
    await terminal.sees("❯");
    const at = Date.now();
    clock.standAt(at);
    model.script(says("Done."), says("Still here."));
    await terminal.say("hello");
    await terminal.answers("Done.");
    terminal.press("\x03");
    await terminal.sees("press Ctrl-C again to quit");
    terminal.press("\x03\x03");
    await terminal.say("are you there");
    await terminal.answers("Still here.");
    // Well after a turn two of them leave.
    clock.standAt(at + 10_000);
    terminal.press("\x03");
    await terminal.sees("press Ctrl-C again to quit");
    terminal.press("\x03");
    expect(await terminal.exited).toBe(0);
  });

  it("the question of a turn that failed stays a question of its own [20:R10.19] [10:LOOP-22]", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl), files: { "a.txt": "alpha\n" } });
    model.otherwise(says("Here you are."));
    await using terminal = new ProgramTerminal(stage, []);
    await terminal.sees("❯");
    model.script(badKey());
    await terminal.say("delete everything");
    await terminal.answers("rejected the credentials");
    model.script(calls("read_file", { path: "a.txt" }), badKey());
    await terminal.say("read a.txt");
    await terminal.answers(/rejected the cred[\s\S]*read a\.txt[\s\S]*rejected the cred/);
    await terminal.say("hello after failures");
    await terminal.answers("Here you are.");
    const spoken = requestWith(model, "hello after failures");
    expect(spoken.map(({ role }) => role)).toEqual([
      ...["user", "assistant"],
      ...["user", "assistant", "tool"],
      "user",
    ]);
    expect(spoken.at(1)?.content).toContain("no answer");
    expect(JSON.stringify(spoken.at(-1))).not.toMatch(/delete everything|read a/);
    model.assertClean();
  });
});

interface Spoken {
  readonly role: string;
  readonly content: unknown;
}

/** The messages of the last request that holds the words, without the system prompt. */
function requestWith(model: ModelServer, words: string): readonly Spoken[] {
  const request = model.requests.findLast(({ messages }) => JSON.stringify(messages).includes(words));
  const messages = (request?.messages ?? []) as unknown as readonly Spoken[];
  return messages.filter(({ role }) => role !== "system");
}
