import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { runProcess } from "#foundation/process/run";

const root = path.join(import.meta.dirname, "../..");
const example = path.join(root, "examples/library/ask.mjs");

it("the library example of the README runs, and what it denies is not run", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "hermes-example-"));
  try {
    const project = path.join(folder, "project");
    await mkdir(path.join(project, "build"), { recursive: true });
    await writeFile(path.join(project, "notes.txt"), "tea\n");
    const env = { PATH: process.env["PATH"], HOME: folder, HERMES_HOME: path.join(folder, "home") };
    const ran = await runProcess(process.execPath, [example], { cwd: project, env, timeoutMs: 50_000, signal: never });
    expect(ran.stdout).toContain("notes.txt");
    expect(ran.stdout).toContain('May it run "rm -rf build"? No.');
    expect(ran.stdout).toContain("text_response true");
    expect((await stat(path.join(project, "build"))).isDirectory()).toBe(true);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
});

it("the README shows the example as it is", async () => {
  expect(await readFile(path.join(root, "README.md"), "utf8")).toContain(await readFile(example, "utf8"));
});
