import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { calls, says, startModelServer } from "../../../test/fakes/model-server/index.ts";
import { runCli, temporaryHome } from "../testing.ts";

let location: ReturnType<typeof temporaryHome>;
beforeEach(() => {
  location = temporaryHome();
});
afterEach(() => location.remove());

it("--checkpoints takes snapshots for one run, although the settings want none [20:R8.7]", async () => {
  await using server = await startModelServer();
  const project = path.join(location.home, "..", "project");
  await mkdir(location.home, { recursive: true });
  await mkdir(project);
  await writeFile(path.join(project, "a.txt"), "one\n");
  const model = `model:\n  provider: custom\n  default: fake-model\n  base_url: ${server.chatBaseUrl}\n`;
  await writeFile(path.join(location.home, "config.yaml"), `${model}checkpoints:\n  enabled: false\n`);
  const snapshots = path.join(location.home, "checkpoints");
  const changed = async (...flags: string[]) => {
    server.script(calls("write_file", { path: "b.txt", content: "two\n" }), says("Done."));
    const run = await runCli(["-z", "write", ...flags], { home: location.home, cwd: project });
    expect(run).toMatchObject({ code: 0 });
    return existsSync(snapshots) ? (await readdir(snapshots)).length : 0;
  };
  server.otherwise(says("A title"));
  expect(await changed()).toBe(0);
  expect(await changed("--checkpoints")).toBeGreaterThan(0);
});

it("hermes rollback lists, compares and restores in the folder it is called in [20:R11.19]", async () => {
  await using server = await startModelServer();
  const project = path.join(location.home, "..", "project");
  await mkdir(location.home, { recursive: true });
  await mkdir(project);
  await writeFile(path.join(project, "a.txt"), "one\n");
  const model = `model:\n  provider: custom\n  default: fake-model\n  base_url: ${server.chatBaseUrl}\n`;
  await writeFile(path.join(location.home, "config.yaml"), model);
  server.otherwise(says("A title"));
  server.script(calls("write_file", { path: "a.txt", content: "two\n" }), says("Done."));
  const hermes = (...args: string[]) => runCli(args, { home: location.home, cwd: project });
  expect((await hermes("rollback")).stdout).toContain("There are no checkpoints for this folder.");
  await hermes("-z", "write");
  const { checkpoints } = JSON.parse((await hermes("rollback", "list", "--json")).stdout) as {
    checkpoints: { id: string; reason: string; differing: number }[];
  };
  expect(checkpoints).toMatchObject([{ reason: "write_file a.txt", differing: 1 }]);
  const id = checkpoints[0]?.id.slice(0, 8) ?? "";
  expect((await hermes("rollback", "show", id)).stdout).toContain("+two");
  expect((await hermes("rollback", "restore", id, "a.txt")).stdout).toContain("1 file restored.");
  expect(await readFile(path.join(project, "a.txt"), "utf8")).toBe("one\n");
  expect(await hermes("rollback", "restore", "ffffff")).toMatchObject({ code: 1 });
});
