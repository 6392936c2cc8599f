import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { main, root } from "./support/stage.ts";

const folder = mkdtempSync(path.join(tmpdir(), "hermes-program-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const env = { PATH: process.env["PATH"], HOME: folder, HERMES_HOME: path.join(folder, "home") };

function hermes(args: readonly string[], options: { input?: string; nodeArgs?: readonly string[] } = {}) {
  return spawnSync(process.execPath, [...(options.nodeArgs ?? []), main, ...args], {
    cwd: folder,
    encoding: "utf8",
    input: options.input ?? "",
    env,
  });
}

describe("the built program", () => {
  it("prints the version of package.json [20:R0.8]", () => {
    const { version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as { version: string };
    for (const args of [["--version"], ["-V"], ["version"]]) {
      expect(hermes(args)).toMatchObject({ status: 0, stdout: `hermes ${version} (Node ${process.versions.node})\n` });
    }
  });

  it("answers --version without loading the program, let alone a library [20:R0.8] [20:A8.10]", () => {
    const hook = path.join(folder, "hook.cjs");
    writeFileSync(
      hook,
      `const fs = require("node:fs"); const read = fs.readFileSync; const seen = [];
       fs.readFileSync = (file, ...rest) => { seen.push(String(file)); return read(file, ...rest); };
       process.on("exit", () => process.stderr.write(JSON.stringify(seen)));`,
    );
    const seen = JSON.parse(hermes(["--version"], { nodeArgs: ["--require", hook] }).stderr) as string[];
    expect(seen.filter((file) => file.endsWith("program.js"))).toEqual([]);
    const loaded = JSON.parse(hermes(["--help"], { nodeArgs: ["--require", hook] }).stderr) as string[];
    expect(loaded.filter((file) => file.endsWith("program.js"))).toHaveLength(1);
  });

  it("ends quietly when its reader stops reading", () => {
    const pipeline = `${process.execPath} ${main} chat -q hello --json-stream --provider demo | head -n 1`;
    const ran = spawnSync("sh", ["-c", pipeline], { cwd: folder, encoding: "utf8", env });
    expect(ran.stderr).toBe("");
    expect(ran.stdout.split("\n")).toHaveLength(2);
    expect(JSON.parse(ran.stdout)).toMatchObject({ schema_version: 1 });
  });

  it("names an unknown command, says what to do, and leaves with 2 [20:R8.2]", () => {
    const result = hermes(["frobnicate"]);
    expect(result.status).toBe(2);
    expect(result.stderr).toContain('"frobnicate"');
    expect(result.stderr).toContain("hermes --help");
  });
});
