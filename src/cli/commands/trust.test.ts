import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { ProjectTrust } from "#plugins";
import { runCli, temporaryHome } from "../testing.ts";

let location: ReturnType<typeof temporaryHome>;
let project: string;

beforeEach(() => {
  location = temporaryHome();
  mkdirSync(location.home, { recursive: true, mode: 0o700 });
  project = path.join(location.home, "..", "project");
  mkdirSync(project);
  project = realpathSync(project);
});
afterEach(() => location.remove());

const hermes = (...args: string[]) => runCli(args, { home: location.home, cwd: project });
const json = async (...args: string[]) =>
  JSON.parse((await hermes(...args, "--json")).stdout) as Record<string, unknown>;

describe("hermes trust", () => {
  it("puts this folder on the list and takes it off again", async () => {
    expect(await json("trust", "list")).toMatchObject({ folders: [], current: { folder: project, is_trusted: false } });
    expect(await hermes("trust", "add")).toMatchObject({
      code: 0,
      stdout: `Trusted: ${project} and everything below it.\n`,
    });
    expect(await json("trust")).toMatchObject({ folders: [{ folder: project }], current: { is_trusted: true } });
    expect((await hermes("trust", "list")).stdout).toContain("This folder is trusted.");
    expect(await hermes("trust", "remove")).toMatchObject({ code: 0 });
    expect(await json("trust", "list")).toMatchObject({ folders: [], current: { is_trusted: false } });
  });

  it("says when a folder that is taken off is trusted still, or was not on the list", async () => {
    const inner = path.join(project, "src");
    mkdirSync(inner);
    await hermes("trust", "add");
    const ran = await hermes("trust", "remove", "src");
    expect(ran).toMatchObject({ code: 1 });
    expect(ran.stdout).toContain("was not on the list");
    expect(ran.stdout).toContain("still trusted");
  });

  it("refuses a folder that is not there, and one that holds everything unless forced", async () => {
    expect(await hermes("trust", "add", "gone")).toMatchObject({ code: 2, stdout: "" });
    expect(await hermes("trust", "add", "/")).toMatchObject({ code: 5, stdout: "" });
    expect(await hermes("trust", "add", "..")).toMatchObject({ code: 5 });
    expect(await hermes("trust", "add", "..", "--force")).toMatchObject({ code: 0 });
    expect(await json("trust", "list")).toMatchObject({ current: { is_trusted: true } });
  });

  it("names the folders that a setting trusts, and a list that is damaged", async () => {
    writeFileSync(path.join(location.home, "config.yaml"), `security:\n  trusted_folders: [${project}]\n`);
    writeFileSync(path.join(location.home, "trust.json"), "{");
    const ran = await hermes("trust", "list");
    expect(ran.stdout).toContain(`${project}  by security.trusted_folders`);
    expect(ran.stdout).toContain("This folder is trusted.");
    expect(ran.stderr).toContain("cannot be read");
    expect(await hermes("trust", "add")).toMatchObject({ code: 1, stdout: "" });
  });

  it("trusts the plugins of the folder as they are now [30:7.7-5]", async () => {
    const folder = path.join(project, ".hermes", "plugins", "mine");
    const entry = path.join(folder, "index.mjs");
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, "plugin.yaml"), "name: mine\nversion: 1.0.0\n");
    writeFileSync(entry, "export default () => {};\n");
    expect(await json("trust", "add")).toMatchObject({ folder: project, plugins: ["mine"] });
    const trust = new ProjectTrust(path.join(location.home, "trust.json"), never);
    const plugin = { key: "mine", source: "project", folder, entry, manifest: {} } as unknown as Parameters<
      typeof trust.isTrusted
    >[0];
    expect(await trust.isTrusted(plugin)).toBe(true);
    writeFileSync(entry, "export default () => { /* changed */ };\n");
    expect(await trust.isTrusted(plugin)).toBe(false);
  });
});

describe("--trust-folder", () => {
  it("counts for this run only", async () => {
    writeFileSync(path.join(project, ".env"), "MINE_API_KEY=k\nTIRITH_BIN=/tmp/evil\n");
    writeFileSync(path.join(location.home, "config.yaml"), `model:\n  default: \${MINE_API_KEY}\n`);
    const value = async (...more: string[]) => await hermes("config", "get", "model.default", ...more);
    const trusted = await value("--trust-folder");
    expect(trusted.stdout).toBe("k\n");
    expect(trusted.stderr).toContain("A project cannot set TIRITH_BIN");
    const untrusted = await value();
    expect(untrusted.stdout).toBe(`\${MINE_API_KEY}\n`);
    expect(untrusted.stderr).toContain("not trusted");
  });
});
