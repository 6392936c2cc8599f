import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ensureDir } from "#foundation/files/files";
import { runCli, temporaryHome } from "../../testing.ts";
import { editorCommand } from "./edit.ts";

let location: ReturnType<typeof temporaryHome>;
beforeEach(async () => {
  location = temporaryHome();
  await ensureDir(location.home);
});
afterEach(() => location.remove());

async function editor(script: string): Promise<string> {
  const file = path.join(location.home, "..", "editor.sh");
  writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return file;
}

describe("hermes config edit", () => {
  it("opens the file in the chosen editor and makes it first [20:R7.26]", async () => {
    const env = { EDITOR: await editor('echo "timezone: UTC" > "$1"') };
    expect(await runCli(["config", "edit"], { home: location.home, env, typed: [] })).toMatchObject({ code: 0 });
    expect(readFileSync(path.join(location.home, "config.yaml"), "utf8")).toBe("timezone: UTC\n");
  });

  it("says at once what no longer parses [20:R7.8]", async () => {
    const env = { EDITOR: await editor('printf "a:\\n\\tb: 1\\n" > "$1"') };
    const run = await runCli(["config", "edit"], { home: location.home, env, typed: [] });
    expect(run).toMatchObject({ code: 4, stderr: expect.stringContaining("config.yaml:2") });
  });

  it("fails with the editor, and changes nothing of a managed install [20:R7.11]", async () => {
    expect(
      await runCli(["config", "edit"], { home: location.home, env: { EDITOR: "false" }, typed: [] }),
    ).toMatchObject({
      code: 1,
    });
    const managed = await runCli(["config", "edit"], {
      home: path.join(location.home, "m"),
      env: { HERMES_MANAGED: "nix" },
      typed: [],
    });
    expect(managed.code).toBe(1);
    expect(existsSync(path.join(location.home, "m"))).toBe(false);
  });

  it("prefers EDITOR over VISUAL, with its arguments, and names what is missing", () => {
    expect(editorCommand({ EDITOR: "code --wait", VISUAL: "vim" })).toEqual(["code", "--wait"]);
    expect(editorCommand({ VISUAL: "vim" })).toEqual(["vim"]);
    expect(() => editorCommand({ PATH: "/nosuch" })).toThrow("No editor");
  });
});
