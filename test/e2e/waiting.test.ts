import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { calls, hang, rateLimited, says, slow, startModelServer } from "../fakes/model-server/index.ts";
import { ProgramClock } from "./support/set-clock.ts";
import { modelConfig, Stage } from "./support/stage.ts";
import { ProgramTerminal } from "./support/terminal.ts";

const untitled = "auxiliary: { title_generation: { enabled: false } }\n";
const ctrlC = "\x03";

describe("a question on the command line", () => {
  it("says on a terminal what it waits for, and takes that away before the answer", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl, untitled) });
    model.script(
      slow(calls("terminal", { command: "until test -e go; do sleep 0.05; done" })),
      slow(says("Both done.")),
    );
    await using terminal = new ProgramTerminal(stage, ["chat", "-q", "wait for it"]);
    await terminal.sees(/… Waiting for fake-model · \d+ s \(Ctrl-C stops\)/);
    model.release(Number.POSITIVE_INFINITY);
    await terminal.sees(/┊ terminal [\s\S]*… Running terminal · \d+ s/);
    await writeFile(path.join(stage.work, "go"), "");
    expect(await terminal.exited).toBe(0);
    const text = await terminal.text();
    expect(text).toContain("Both done.");
    expect(text).not.toMatch(/Waiting for|Running terminal/);
  });

  it("counts down to the next attempt, and Ctrl-C ends the wait", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl, untitled) });
    model.script(rateLimited({ retryAfterMs: 60_000 }));
    await using terminal = new ProgramTerminal(stage, ["chat", "-q", "hello"]);
    await terminal.sees(/! .*is limiting requests[\s\S]*… Trying again in \d+ s \(Ctrl-C stops\)/);
    terminal.press(ctrlC);
    expect(await terminal.exited).toBe(130);
    expect(await terminal.text()).not.toContain("Trying again in");
  });

  it("says nothing of the kind where standard error is no terminal", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl, untitled) });
    model.script(calls("terminal", { command: "sleep 1.5" }), says("Done."));
    expect(await stage.run(["chat", "-q", "wait"])).toMatchObject({ code: 0, stderr: "" });
  });
});

describe("a chat that waits long", () => {
  it("names a model that has been silent for a minute, and Esc still stops it", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl, untitled) });
    const clock = new ProgramClock(stage);
    await using terminal = new ProgramTerminal(stage, [], clock.env);
    await terminal.sees("❯");
    model.script(hang());
    await terminal.say("hello");
    await model.received(1);
    await terminal.sees(/…\s*\(\d/);
    clock.putForward(61_000);
    await terminal.sees(/fake-model has been silent for 1m 0\ds · Esc stops/);
    terminal.press("\x1b");
    await terminal.answers("Stopped. What should Hermes do instead?");
  });

  it("notifies when a long turn is done, and not after a short one", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl, untitled) });
    const clock = new ProgramClock(stage);
    await using terminal = new ProgramTerminal(stage, [], clock.env);
    await terminal.sees("❯");
    model.script(says("Quick."), slow(says("Slow.")));
    await terminal.say("one");
    await terminal.answers("Quick.");
    expect(terminal.written).not.toContain("\x1b]9;");
    await terminal.say("two");
    await model.received(2);
    clock.putForward(30_000);
    model.release(Number.POSITIVE_INFINITY);
    await terminal.answers("Slow.");
    expect(terminal.written).toContain("\x1b]9;Hermes is done");
  });
});
