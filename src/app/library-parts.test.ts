import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CreateHermesOptions, createHermes } from "./library.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "hermes-library-"));
  await mkdir(path.join(folder, "build"));
  await writeFile(path.join(folder, "notes.txt"), "one\n");
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

const open = (more: CreateHermesOptions = {}) =>
  createHermes({ model: "demo", home: path.join(folder, "home"), cwd: folder, env: { HOME: folder }, ...more });

describe("Hermes inside another program", () => {
  it("answers, with the tools that the terminal has [10:LOOP-1]", async () => {
    const events: string[] = [];
    await using hermes = await open({ onEvent: (event) => events.push(event.type) });
    expect(await hermes.chat("read notes.txt")).toContain("1|one");
    expect(events).toEqual(expect.arrayContaining(["turn-start", "tool-start", "tool-end", "turn-end"]));
  });

  it("asks the program about a flagged command, and denies it without an answer", async () => {
    const asked: string[] = [];
    {
      await using silent = await open();
      await silent.chat("run `rm -rf build`");
    }
    expect(existsSync(path.join(folder, "build"))).toBe(true);
    await using hermes = await open({
      approve: ({ summary }) => {
        asked.push(summary);
        return "once";
      },
    });
    const turn = await hermes.runConversation({ message: "run `rm -rf build`" });
    expect(turn).toMatchObject({ completed: true, toolCalls: [{ name: "terminal", ok: true }] });
    expect(asked).toEqual(["rm -rf build"]);
    expect(existsSync(path.join(folder, "build"))).toBe(false);
  });

  it("goes on with a conversation by its id, and names one that is not there", async () => {
    let id: string;
    {
      await using first = await open();
      await first.chat("hello");
      id = first.info.id;
    }
    await using again = await open({ resume: id });
    expect(again.info.id).toBe(id);
    expect(again.session.history.length).toBeGreaterThanOrEqual(2);
    await expect(open({ resume: "nosuch" })).rejects.toThrow('There is no session "nosuch".');
  });

  it("stops a turn with its signal", async () => {
    await using hermes = await open();
    const stop = new AbortController();
    const off = hermes.session.subscribe((event) => {
      if (event.type === "tool-start") stop.abort();
    });
    const turn = await hermes.runConversation({ message: "run `sleep 30`" }, { signal: stop.signal });
    off[Symbol.dispose]();
    expect(turn.interrupted).toBe(true);
    await expect(hermes.chat("hello", { signal: stop.signal })).rejects.toThrow();
  });
});
