import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { says, startModelServer } from "../fakes/model-server/index.ts";
import { main, modelConfig, root, Stage } from "./support/stage.ts";

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

  it("reads for one question only the files that an answer needs [20:R0.8]", async () => {
    const hook = `const fs = require("node:fs"); const path = require("node:path"); const read = fs.readFileSync; const seen = new Set();
      fs.readFileSync = (file, ...rest) => { seen.add(String(file)); return read(file, ...rest); };
      process.on("exit", () => fs.writeFileSync("seen.json", JSON.stringify([...seen].map((file) => path.basename(file)))));`;
    await using server = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(server.chatBaseUrl), files: { "hook.cjs": hook } });
    server.script(says("Good morning."), says("Good day."));
    // The first start of a home reads its settings with the whole of YAML and remembers what it found.
    await stage.run(["chat", "-q", "hello", "-Q"]);
    const ran = await stage.run(["chat", "-q", "hi", "-Q"], { env: { NODE_OPTIONS: "--require ./hook.cjs" } });
    expect(ran).toMatchObject({ code: 0, stdout: "Good day.\n" });
    const seen = JSON.parse(readFileSync(path.join(stage.work, "seen.json"), "utf8")) as readonly string[];
    expect(seen.filter((file) => /^(program|agent|screen|later)\.js$/.test(file))).toEqual(["program.js", "agent.js"]);
  });

  it("writes its code cache anew when a run used what no run before had used, and only then", () => {
    const copy = path.join(folder, "installed");
    cpSync(path.join(root, "dist"), path.join(copy, "dist"), {
      recursive: true,
      filter: (file) => !file.endsWith(".cache"),
    });
    for (const name of ["node_modules", "skills", "package.json"]) {
      symlinkSync(path.join(root, name), path.join(copy, name));
    }
    const run = (...args: readonly string[]) => {
      const ran = spawnSync(process.execPath, [path.join(copy, "dist", "cli", "main.js"), ...args], {
        cwd: folder,
        encoding: "utf8",
        env,
      });
      expect(ran).toMatchObject({ status: 0 });
      const caches = readdirSync(path.join(copy, "dist")).filter((file) => file.endsWith(".cache"));
      return Object.fromEntries(
        caches.map((file) => [file.slice(0, file.indexOf(".")), statSync(path.join(copy, "dist", file)).mtimeMs]),
      );
    };
    const question = ["chat", "-q", "hello", "-Q", "--provider", "demo"] as const;
    const afterPath = run("config", "path");
    expect(Object.keys(afterPath).sort()).toEqual(["later", "program"]);
    const afterQuestion = run(...question);
    expect(Object.keys(afterQuestion)).toEqual(expect.arrayContaining(["agent", "program"]));
    expect(afterQuestion["program"]).toBeGreaterThan(afterPath["program"] ?? 0);
    expect(run(...question)).toEqual(afterQuestion);
    expect(run("config", "path")).toEqual(afterQuestion);
  });

  it("ends quietly when its reader stops reading", () => {
    const pipeline = `${process.execPath} ${main} chat -q hello --json-stream --provider demo | head -n 1`;
    const ran = spawnSync("sh", ["-c", pipeline], { cwd: folder, encoding: "utf8", env });
    expect(ran.stderr).toBe("");
    expect(ran.stdout.split("\n")).toHaveLength(2);
    expect(JSON.parse(ran.stdout)).toMatchObject({ v: 1 });
  });

  it("names an unknown command, says what to do, and leaves with 2 [20:R8.2]", () => {
    const result = hermes(["frobnicate"]);
    expect(result.status).toBe(2);
    expect(result.stderr).toContain('"frobnicate"');
    expect(result.stderr).toContain("hermes --help");
  });
});
