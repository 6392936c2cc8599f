import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";

const root = path.join(import.meta.dirname, "..", "..");
const main = path.join(root, "dist", "cli", "main.js");
const folder = mkdtempSync(path.join(tmpdir(), "hermes-program-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function hermes(args: readonly string[], options: { input?: string; nodeArgs?: readonly string[]; cwd?: string } = {}) {
  return spawnSync(process.execPath, [...(options.nodeArgs ?? []), main, ...args], {
    cwd: options.cwd ?? folder,
    encoding: "utf8",
    input: options.input ?? "",
    env: { ...process.env, HERMES_HOME: path.join(folder, "home") },
  });
}

describe("the built program", () => {
  it("prints the version of package.json [20:R0.8]", () => {
    const { version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as { version: string };
    for (const args of [["--version"], ["-V"], ["version"]]) {
      expect(hermes(args)).toMatchObject({ status: 0, stdout: `hermes ${version} (Node ${process.versions.node})\n` });
    }
  });

  it("answers --version without loading the program, let alone a library [20:R0.8]", () => {
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
    const pipeline = `printf 'hello\\nhello\\n' | ${process.execPath} ${main} | head -n 1`;
    const env = { ...process.env, HERMES_HOME: path.join(folder, "home") };
    const ran = spawnSync("sh", ["-c", pipeline], { cwd: folder, encoding: "utf8", env });
    expect(ran).toMatchObject({ stdout: "Hermes, on the demo model. An empty line leaves.\n", stderr: "" });
  });

  it("names an unknown command, says what to do, and leaves with 2", () => {
    const result = hermes(["frobnicate"]);
    expect(result.status).toBe(2);
    expect(result.stderr).toContain('"frobnicate"');
    expect(result.stderr).toContain("hermes --help");
  });

  it("reaches a prompt and answers on the demo model, also when piped", () => {
    const result = hermes([], { input: "hello\n" });
    expect(result.status).toBe(0);
    expect(result.stdout).toContain("demo model");
    expect(result.stdout).toContain("hermes model");
  });

  it("drives the real tools from plain words: reads, edits, writes and runs a program, and asks before it deletes", () => {
    const work = path.join(folder, "work");
    mkdirSync(work);
    writeFileSync(path.join(work, "notes.txt"), "one\ntwo tea\n");
    mkdirSync(path.join(work, "build"));
    const lines = [
      "list files",
      "search for tea",
      'replace "tea" with "coffee" in notes.txt',
      "run `rm -rf build`",
      "deny",
      "run `rmdir build`",
      "write a small program that prints primes",
      "plan: first, second",
    ];
    const result = hermes([], { input: `${lines.join("\n")}\n`, cwd: work });
    expect(result.status).toBe(0);
    expect(result.stdout).toContain("- notes.txt");
    expect(result.stdout).toContain("notes.txt:2: two tea");
    expect(readFileSync(path.join(work, "notes.txt"), "utf8")).toBe("one\ntwo coffee\n");
    expect(result.stdout).toMatch(/needs your word \(recursive delete\):\n {2}rm -rf build/);
    expect(result.stdout).toContain("the user did not approve it");
    expect(existsSync(path.join(work, "build"))).toBe(false);
    expect(result.stdout).toContain("2 3 5 7 11 13 17 19 23 29");
    expect(result.stdout).toContain("1. first");
  });
});
