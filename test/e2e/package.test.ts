import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it, type TestContext } from "vitest";
import { ended, type Ran, root } from "./support/stage.ts";

/** What a user installs: packed by npm itself, in a copy, because packing builds anew. */
let folder: string;
let problem: string | undefined;
const sources = [
  ...["package.json", "package-lock.json", "tsconfig.json", "tsconfig.library.json", "tsconfig.testing.json"],
  ...["README.md", "LICENSE", "CHANGELOG.md", "scripts", "src", "skills", "types", "test/fakes/model-server"],
];
const user = (): string => path.join(folder, "user");

function run(command: string, args: readonly string[], cwd: string): Promise<Ran> {
  const env = { ...process.env, HERMES_HOME: path.join(folder, "home"), NO_UPDATE_NOTIFIER: "1" };
  return ended(spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], timeout: 600_000 }));
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "hermes-package-"));
  const copy = path.join(folder, "copy");
  await mkdir(copy);
  for (const name of sources) {
    if (existsSync(path.join(root, name))) await cp(path.join(root, name), path.join(copy, name), { recursive: true });
  }
  await symlink(path.join(root, "node_modules"), path.join(copy, "node_modules"));
  const packed = await run("npm", ["pack", "--pack-destination", folder, "--loglevel=error"], copy);
  if (packed.code !== 0) throw new Error(`npm pack failed:\n${packed.stdout}${packed.stderr}`);
  const tarball = (await readdir(folder)).find((name) => name.endsWith(".tgz")) ?? "";
  await mkdir(user());
  await writeFile(path.join(user(), "package.json"), '{ "private": true, "type": "module" }\n');
  await writeFile(path.join(user(), "hello.txt"), "hello\n");
  const flags = ["--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];
  const installed = await run("npm", ["install", ...flags, path.join(folder, tarball)], user());
  if (installed.code !== 0) problem = `the dependencies could not be installed here: ${installed.stderr.slice(0, 300)}`;
}, 900_000);
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

/** Without a place to get the dependencies from there is nothing to try. */
function needInstall({ skip }: TestContext): void {
  if (problem !== undefined) skip(problem);
}

describe("the package, installed into an empty folder", () => {
  it("holds what it needs and no sources or tests", async (context) => {
    needInstall(context);
    const files = await readdir(path.join(user(), "node_modules/hermes-ts"), { recursive: true });
    expect(files).toEqual(
      expect.arrayContaining([
        "dist/cli/main.js",
        "dist/program.js",
        "dist/agent.js",
        "dist/commands.js",
        "dist/screen.js",
        "dist/later.js",
        "dist/library.cjs",
        "dist/app/library.d.ts",
      ]),
    );
    expect(files.filter((name) => /^(?:src|test|scripts)\b|\.test\./.test(name))).toEqual([]);
  });

  it("installs exactly the versions it was tested with, and runs no script of theirs", async (context) => {
    needInstall(context);
    const unpacked = path.join(folder, "unpacked");
    await mkdir(unpacked);
    const tarball = (await readdir(folder)).find((name) => name.endsWith(".tgz")) ?? "";
    await run("tar", ["-xzf", path.join(folder, tarball), "--strip-components=1"], unpacked);
    const lock = JSON.parse(await readFile(path.join(unpacked, "npm-shrinkwrap.json"), "utf8"));
    expect(lock).toEqual(JSON.parse(await readFile(path.join(root, "package-lock.json"), "utf8")));
    const flags = ["--ignore-scripts", "--omit=dev", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];
    const installed = await run("npm", ["ci", ...flags], unpacked);
    expect(installed).toMatchObject({ code: 0 });
    const version = await run(process.execPath, ["dist/cli/main.js", "--version"], unpacked);
    expect(version).toMatchObject({ code: 0 });
  }, 180_000);

  it("runs: its version, and an answer of the demo model that used a tool [20:R0.8] [20:R8.10]", async (context) => {
    needInstall(context);
    const hermes = path.join(user(), "node_modules/.bin/hermes");
    const version = await run(hermes, ["--version"], user());
    expect(version).toMatchObject({ code: 0, stdout: expect.stringMatching(/^hermes \d+\.\d+\.\d+ /) });
    const answer = await run(hermes, ["-z", "read hello.txt", "--provider", "demo", "--model", "demo"], user());
    expect(answer).toMatchObject({ code: 0, stdout: expect.stringContaining("1|hello"), stderr: "" });
  });

  it("is a library, and the examples run", async (context) => {
    needInstall(context);
    await cp(path.join(root, "examples/library/chat.mjs"), path.join(user(), "chat.mjs"));
    const ran = await run(process.execPath, ["chat.mjs", "read", "hello.txt"], user());
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining("1|hello") });
    expect(ran.stderr).toContain("read_file");
    const denied = await run(process.execPath, ["chat.mjs", "run `rm -rf node_modules`"], user());
    expect(denied).toMatchObject({ code: 0, stderr: expect.stringContaining("Denied: rm -rf node_modules") });
    expect(existsSync(path.join(user(), "node_modules"))).toBe(true);
    await cp(path.join(root, "examples/library/ask.mjs"), path.join(user(), "ask.mjs"));
    const asked = await run(process.execPath, ["ask.mjs"], user());
    expect(asked).toMatchObject({ code: 0, stdout: expect.stringContaining('May it run "rm -rf build"? No.') });
  });

  it("loads plugins also as a library [30:7.2]", async (context) => {
    needInstall(context);
    const home = path.join(folder, "plugin-home");
    await cp(path.join(root, "examples/plugins/word-count"), path.join(home, "plugins/word-count"), {
      recursive: true,
    });
    await writeFile(path.join(home, "config.yaml"), "plugins:\n  enabled: [word-count]\n");
    const script = [
      'import { createHermes } from "hermes-ts";',
      `const hermes = await createHermes({ model: "demo", home: ${JSON.stringify(home)} });`,
      "console.log(hermes.info.toolsets.flatMap(({ tools }) => tools).join());",
      "await hermes[Symbol.asyncDispose]();",
    ];
    await writeFile(path.join(user(), "plugin.mjs"), script.join("\n"));
    const ran = await run(process.execPath, ["plugin.mjs"], user());
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining("word_count") });
  });

  it("tells TypeScript what it offers", async (context) => {
    needInstall(context);
    await writeFile(
      path.join(user(), "types.ts"),
      [
        'import { createHermes, type HermesConversation } from "hermes-ts";',
        'import { says, startModelServer } from "hermes-ts/testing/model-server";',
        'import { runTui, type TuiExtension } from "hermes-ts/tui";',
        'export const extension: TuiExtension = { name: "mine", extraWidgets: () => [] };',
        "export const run: typeof runTui = runTui;",
        'const hermes: HermesConversation = await createHermes({ model: "demo" });',
        'export const answer: string | null = await hermes.chat("hi");',
        "const server = await startModelServer();",
        'server.script(says("hi"));',
        "// @ts-expect-error a model is named by text",
        "await createHermes({ model: 7 });",
        "",
      ].join("\n"),
    );
    const compiler = path.join(root, "node_modules/typescript7/bin/tsc");
    const flags = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--target", "es2023"];
    const lib = [
      "--lib",
      "es2023,esnext.disposable",
      "--types",
      "node",
      "--typeRoots",
      path.join(root, "node_modules/@types"),
    ];
    const checked = await run(process.execPath, [compiler, ...flags, ...lib, "types.ts"], user());
    expect(checked.stdout).toBe("");
    expect(checked.code).toBe(0);
  });
});
