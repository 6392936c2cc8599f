import { existsSync } from "node:fs";
import { readFile, realpath } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { calls, says, startModelServer } from "../fakes/model-server/index.ts";
import { modelConfig, Stage } from "./support/stage.ts";
import { ProgramTerminal } from "./support/terminal.ts";

const files = { "one/a/x": "x", "one/b/x": "x", "one/sub/c/x": "x", "two/d/x": "x", "two/e/x": "x" };

describe("an approval that ends at a folder", () => {
  it("covers what is deleted below it, and another folder asks again [30:5.15]", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl), files });
    const at = (name: string): string => path.join(stage.work, name);
    const remove = (command: string, folder: string) => calls("terminal", { command, workdir: at(folder) });
    await using terminal = new ProgramTerminal(stage, []);
    await terminal.sees("❯");
    model.script(
      remove("rm -rf a", "one"),
      remove("rm -rf b && rm -rf sub/c", "one"),
      remove("rm -rf d", "two"),
      remove("rm -rf ../two/e", "one"),
      says("All asked."),
    );
    await terminal.say("clean up");
    const folder = await realpath(at("one"));
    const shown = await terminal.sees(/o {2}Allow once: exactly this, one time[\s\S]*a {2}Always/);
    expect(shown.replace(/\s+/g, "")).toContain(
      `fAllowinthisfolder:recursivedeletebelow${folder},untilthissessionends`.replace(/\s+/g, ""),
    );
    await terminal.choose("f");
    await terminal.sees(/rm -rf d\n[\s\S]*Allow once/);
    expect([existsSync(at("one/a")), existsSync(at("one/b")), existsSync(at("one/sub/c"))]).toEqual([
      false,
      false,
      false,
    ]);
    expect(existsSync(at("two/d"))).toBe(true);
    terminal.press("\x1b");
    await terminal.sees(/rm -rf \.\.\/two\/e\n[\s\S]*Allow once/);
    terminal.press("\x1b");
    await terminal.answers("All asked.");
    expect([existsSync(at("two/d")), existsSync(at("two/e"))]).toEqual([true, true]);
    const log = await readFile(path.join(stage.home, "logs", "approvals.jsonl"), "utf8");
    expect(
      log
        .trim()
        .split("\n")
        .map((line) => (JSON.parse(line) as { readonly choice?: string }).choice),
    ).toEqual(["folder", undefined, "deny", "deny"]);
  });
});
