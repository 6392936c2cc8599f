import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { runProcess } from "#foundation/process/run";
import { type PluginStage, pluginStage } from "../testing.ts";
import { type InstallerDeps, PluginInstaller } from "./installer.ts";
import { PluginLock } from "./lock-file.ts";
import { readInstallSource } from "./source.ts";

const env = { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent" };
const manifest = (more = ""): string => `name: shout\nversion: 1.0.0\nrequires_env: [SHOUT_KEY]\n${more}`;
const entry = 'export const register = (ctx) => ctx.registerCommand("shout", (text) => text.toUpperCase());\n';

async function bench(stage: PluginStage, changes: Partial<InstallerDeps> = {}) {
  const lock = new PluginLock(path.join(stage.home, "plugins.lock.json"), never);
  const installer = new PluginInstaller({
    plugins: path.join(stage.home, "plugins"),
    lock,
    env,
    location: { cwd: stage.home, home: stage.home },
    logger: stage.logger,
    ...changes,
  });
  const host = async () => {
    const opened = stage.host(["shout"], { lock, env: { SHOUT_KEY: "x" } });
    await opened.load();
    return opened.list.map(({ key, state }) => (state.kind === "failed" ? `${key}: ${state.reason}` : state.kind));
  };
  return { lock, installer, host };
}

async function repository(stage: PluginStage): Promise<{ readonly url: string; commit(): Promise<void> }> {
  const folder = path.join(stage.home, "repository");
  const git = async (...args: readonly string[]): Promise<void> => {
    const who = ["-c", "user.name=T", "-c", "user.email=t@example.test"];
    const done = await runProcess("git", [...who, "-C", folder, ...args], { env, signal: never });
    if (done.exitCode !== 0) throw new Error(done.stderr);
  };
  await mkdir(folder, { recursive: true });
  await stage.write({ "repository/plugin.yaml": manifest(), "repository/index.mjs": entry });
  await stage.write({ "repository/settings.yaml.example": "loud: true\n" });
  await git("init", "-q", "-b", "main");
  const commit = async (): Promise<void> => {
    await git("add", "-A");
    await git("commit", "-q", "-m", "x");
  };
  await commit();
  return { url: `file://${folder}`, commit };
}

describe("installing plugins", () => {
  it("[30:7.2] from git: fetched, locked with its commit, examples copied, not enabled by that", async () => {
    await using stage = await pluginStage();
    const { url } = await repository(stage);
    const { installer, lock, host } = await bench(stage);
    const outcome = await installer.install(url, {}, never);
    expect(outcome).toMatchObject({
      kind: "installed",
      key: "shout",
      version: "1.0.0",
      commit: expect.stringMatching(/^[0-9a-f]{40}$/),
      missingEnv: [{ name: "SHOUT_KEY", isSecret: true }],
      warnings: [expect.stringContaining("does not prove")],
    });
    expect((await readdir(path.join(stage.home, "plugins", "shout"))).sort()).toEqual([
      "index.mjs",
      "plugin.yaml",
      "settings.yaml",
      "settings.yaml.example",
    ]);
    expect(await readdir(path.join(stage.home, "plugins"))).toEqual(["shout"]);
    expect(await lock.get("shout")).toMatchObject({
      source: "git",
      spec: url,
      integrity: expect.stringMatching(/^sha256-/),
    });
    expect(await host()).toEqual(["enabled"]);
    expect(await installer.install(url, {}, never)).toMatchObject({ kind: "refused" });
    expect(await installer.install(url, { isForced: true }, never)).toMatchObject({ kind: "installed" });
  });

  it("[30:7.2] [30:7.6] changed files are not run until somebody has confirmed them", async () => {
    await using stage = await pluginStage();
    const { url } = await repository(stage);
    const { installer, lock, host } = await bench(stage);
    await installer.install(url, {}, never);
    await stage.write({ "plugins/shout/index.mjs": `${entry}// changed\n` });
    expect(await host()).toEqual([expect.stringContaining("have changed since it was installed")]);
    expect(await installer.update("shout", {}, never)).toEqual({ kind: "asks", addedPermissions: [], isEdited: true });
    const opened = stage.host(["shout"], { lock });
    await opened.load();
    await lock.confirm({
      key: "shout",
      source: "user",
      folder: path.join(stage.home, "plugins", "shout"),
      entry: undefined,
      manifest: { ...(await manifestOf()), version: "1.0.0" },
    });
    expect(await host()).toEqual(["enabled"]);
    await stage.write({ "plugins/shout/more.txt": "another file counts too" });
    expect(await host()).toEqual([expect.stringContaining("have changed")]);

    async function manifestOf() {
      const { readManifest } = await import("../manifest.ts");
      const reading = await readManifest(manifest(), { folderName: "shout", logger: stage.logger });
      if (reading.kind === "invalid") throw new Error(reading.reason);
      return reading.manifest;
    }
  });

  it("[30:7.2] an update shows added permissions before it changes anything; removing takes all of it", async () => {
    await using stage = await pluginStage();
    const { url, commit } = await repository(stage);
    const { installer, lock, host } = await bench(stage);
    await installer.install(url, {}, never);
    const before = await lock.get("shout");
    await stage.write({ "repository/plugin.yaml": manifest("permissions: [network]\n").replace("1.0.0", "1.1.0") });
    await commit();
    expect(await installer.update("shout", {}, never)).toEqual({
      kind: "asks",
      addedPermissions: ["network"],
      isEdited: false,
    });
    expect(await lock.get("shout")).toEqual(before);
    expect(await installer.update("shout", { isConfirmed: true }, never)).toMatchObject({ version: "1.1.0" });
    expect((await lock.get("shout"))?.commit).not.toBe(before?.commit);
    expect(await host()).toEqual(["enabled"]);
    expect(await installer.remove("shout")).toBe(true);
    expect(await installer.remove("shout")).toBe(false);
    expect(await readdir(path.join(stage.home, "plugins"))).toEqual([]);
    expect(await installer.update("shout", {}, never)).toMatchObject({ kind: "refused" });
  });

  it("[30:7.2] from a folder of this machine; one with a link that leads out is refused and leaves nothing", async () => {
    await using stage = await pluginStage();
    await stage.write({ "mine/plugin.yaml": manifest(), "mine/index.mjs": entry });
    const { installer, host } = await bench(stage);
    expect(await installer.install("./mine", {}, never)).toMatchObject({ kind: "installed", key: "shout" });
    expect(await host()).toEqual(["enabled"]);
    await symlink("/etc/passwd", path.join(stage.home, "mine", "link"));
    await expect(installer.install("./mine", { isForced: true }, never)).rejects.toThrow("leads out");
    expect(await readdir(path.join(stage.home, "plugins"))).toEqual(["shout"]);
    expect(await host()).toEqual(["enabled"]);
  });

  it("[30:7.2] from npm: scripts are switched off, and the package's own entry is used", async () => {
    await using stage = await pluginStage();
    // A stand-in for npm that notes its arguments and puts a package in place.
    const fields = { name: "hermes-shout", version: "2.0.0", keywords: ["hermes-plugin"] };
    const packed = JSON.stringify({ ...fields, hermes: { plugin: "./dist/main.mjs", manifest: "./plugin.yaml" } });
    const npm = path.join(stage.home, "npm");
    await writeFile(
      npm,
      `#!/bin/sh\necho "$@" > "${stage.home}/npm-args"\nfor a in "$@"; do [ "$p" = --prefix ] && into=$a; p=$a; done\n` +
        `mkdir -p "$into/node_modules/hermes-shout/dist"; cd "$into/node_modules/hermes-shout"\n` +
        `cat > package.json <<'E'\n${packed}\nE\ncat > plugin.yaml <<'E'\n${manifest()}E\ncat > dist/main.mjs <<'E'\n${entry}E\n`,
      { mode: 0o755 },
    );
    const { installer, host } = await bench(stage, { npm });
    expect(await installer.install("npm:hermes-shout@^2.0.0", {}, never)).toMatchObject({ kind: "installed" });
    expect(await host()).toEqual(["enabled"]);
    const args = await readFile(path.join(stage.home, "npm-args"), "utf8");
    expect(args).toContain("--ignore-scripts");
    expect(args.trim()).toMatch(/-- hermes-shout@\^2\.0\.0$/);
  });

  it("[30:7.2] [30:7.3] what is no plugin, or needs a newer program, is refused with the reason", async () => {
    await using stage = await pluginStage();
    await stage.write({ "none/readme.md": "hello", "new/plugin.yaml": "name: fresh\nmanifest_version: 99\n" });
    await stage.write({ "evil/plugin.yaml": "name: ../../evil\n" });
    const { installer } = await bench(stage);
    for (const [spec, reason] of [
      ["./none", "no plugin.yaml"],
      ["./new", "manifest version 99"],
      ["./evil", "is not a plugin name"],
    ] as const)
      expect(await installer.install(spec, {}, never)).toMatchObject({ reason: expect.stringContaining(reason) });
    expect(await readdir(path.join(stage.home, "plugins"))).toEqual([]);
    await expect(installer.remove("../mine")).rejects.toThrow("is not the name");
  });

  it.each([
    ["owner/repo", { kind: "git", url: "https://github.com/owner/repo.git" }],
    ["git@example.test:a/b.git", { kind: "git", url: "git@example.test:a/b.git" }],
    ["https://example.test/a.git", { kind: "git", url: "https://example.test/a.git" }],
    ["http://example.test/a.git", { kind: "git", warning: expect.any(String) }],
    ["npm:@scope/name@1.2.0", { kind: "npm", spec: "@scope/name@1.2.0" }],
    ["npm:../x", { kind: "invalid" }],
    ["npm:name --script", { kind: "invalid" }],
    ["~/mine", { kind: "folder", path: "/home/me/mine" }],
    ["--upload-pack=x", { kind: "invalid" }],
    ["ext::sh -c x", { kind: "invalid" }],
    ["https://-x/a", { kind: "invalid" }],
    ["a\nb/c", { kind: "invalid" }],
  ])("[30:7.2] reads %j", (input, expected) => {
    expect(readInstallSource(input, { cwd: "/w", home: "/home/me" })).toMatchObject(expected);
  });
});
