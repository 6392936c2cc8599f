import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { Stage } from "./support/stage.ts";
import { ProgramTerminal } from "./support/terminal.ts";

const ctrlD = "\x04";
const demo = ["--provider", "demo"];

describe("the first minutes in a terminal", () => {
  it("lists files, edits one, asks before it deletes, leaves, and comes back by title [20:R10.1] [20:R8.11] [20:A8.7]", async () => {
    await using stage = await Stage.open({
      files: { "notes.txt": "one\ntwo tea\n", "build/out.txt": "x", "twice.txt": "tea and tea\n" },
    });
    const build = path.join(stage.work, "build");
    {
      await using terminal = new ProgramTerminal(stage, demo);
      await terminal.answers(/demo/i);
      await terminal.say("list files");
      await terminal.answers("• notes.txt");
      await terminal.say('replace "tea" with "coffee" in notes.txt');
      await terminal.answers("+two coffee");
      expect(await stage.read("notes.txt")).toBe("one\ntwo coffee\n");
      await terminal.say('replace "tea" with "coffee" in twice.txt');
      await terminal.answers(/twice[\s\S]*\+coffee and coffee/);
      await terminal.say("read @file:twice.txt");
      await terminal.answers("1|coffee and coffee");
      await terminal.say("read nots.txt");
      await terminal.answers("Did you mean");
      expect(await terminal.text()).not.toContain('"error"');
      await terminal.say("write a small program that prints the first primes");
      await terminal.answers("2 3 5 7 11 13 17 19 23 29");
      await terminal.say("run `rm -rf build`");
      await terminal.sees("Allow once");
      expect(existsSync(build)).toBe(true);
      await terminal.choose("d");
      await terminal.answers("That did not work");
      expect(existsSync(build)).toBe(true);
      await terminal.say("please run `rm -rf build`");
      await terminal.sees(/please run[\s\S]*Allow once/);
      await terminal.choose("o");
      await terminal.answers("It ended with exit code 0");
      expect(existsSync(build)).toBe(false);
      await terminal.say("/title my tour");
      await terminal.answers(/my tour[\s\S]*my tour/);
      terminal.press(ctrlD);
      expect(await terminal.exited).toBe(0);
      expect(await terminal.text()).toContain('hermes --continue "my tour"');
    }
    await using again = new ProgramTerminal(stage, [...demo, "--resume", "my tour"]);
    await again.answers("It ended with exit code 0");
    await again.say("read notes.txt");
    await again.answers("2|two coffee");
    again.press(ctrlD);
    expect(await again.exited).toBe(0);
    const listed = JSON.parse((await stage.run(["sessions", "list", "--json"])).stdout) as {
      readonly sessions: readonly { readonly title: string }[];
    };
    expect(listed.sessions.map(({ title }) => title)).toEqual(["my tour"]);
  });

  it("says which session is not there, gives the terminal back, and leaves with 1 [20:A8.6]", async () => {
    await using stage = await Stage.open();
    await using terminal = new ProgramTerminal(stage, ["chat", "--resume", "nosuch", ...demo]);
    expect(await terminal.exited).toBe(1);
    const text = await terminal.text();
    expect(text).toContain('There is no session "nosuch"');
    expect(text).toContain("hermes sessions list");
  });

  it("without a provider still opens, on the demo model, and says how to connect one", async () => {
    await using stage = await Stage.open();
    await using terminal = new ProgramTerminal(stage, []);
    await terminal.answers(/demo/i);
    await terminal.say("hello");
    await terminal.answers("/connect");
    terminal.press(ctrlD);
    expect(await terminal.exited).toBe(0);
  });
});
