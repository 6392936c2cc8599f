import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { loadConfig } from "#config";
import { HermesHome } from "#foundation/files/paths";
import { disposable } from "#foundation/lifecycle/disposal";
import { allowlistStore } from "./allowlist.ts";

async function stage(text: string) {
  const folder = await mkdtemp(path.join(tmpdir(), "hermes-allow-"));
  const home = new HermesHome(folder);
  await writeFile(home.config, text);
  const problems: string[] = [];
  const open = async () => {
    const { config } = await loadConfig({ home, env: {} });
    const onProblem = (message: string) => void problems.push(message);
    return allowlistStore({ home, env: {}, initial: config.command_allowlist, onProblem });
  };
  const ended = disposable(() => rm(folder, { recursive: true, force: true }));
  return {
    home,
    problems,
    open,
    read: () => readFile(home.config, "utf8"),
    [Symbol.asyncDispose]: () => ended[Symbol.asyncDispose](),
  };
}

describe("permanent grants", () => {
  it("are kept by everybody who grants at the same time [30:5.5]", async () => {
    await using at = await stage("# mine\nmodel: x\n");
    const stores = await Promise.all([at.open(), at.open(), at.open()]);
    await Promise.all(stores.map((store, index) => store.add(`key ${index}`)));
    const { config } = await loadConfig({ home: at.home, env: {} });
    expect([...config.command_allowlist].sort()).toEqual(["key 0", "key 1", "key 2"]);
    expect(await at.read()).toContain("# mine\n");
    expect(at.problems).toEqual([]);
  });

  it("are written once, however often they are given, and keep odd characters [30:5.5]", async () => {
    await using at = await stage("{}\n");
    const key = "start gateway: 'x' #1";
    const store = await at.open();
    await store.add(key);
    await store.add(key);
    expect(store.load()).toEqual([key]);
    expect((await at.open()).load()).toEqual([key]);
  });

  it("hold for this run and are said to, when the file cannot be changed [30:5.5]", async () => {
    await using at = await stage("model: x\n");
    const store = await at.open();
    await writeFile(at.home.config, "model: [\n");
    await store.add("recursive delete");
    expect(store.load()).toEqual(["recursive delete"]);
    expect(at.problems).toMatchObject([expect.stringContaining('"recursive delete" is allowed for this run only')]);
    expect(await at.read()).toBe("model: [\n");
  });
});
