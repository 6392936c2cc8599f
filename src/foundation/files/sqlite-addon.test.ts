import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadSqliteAddon } from "./sqlite-addon.ts";

describe("the native library of SQLite", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), "hermes-addon-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const loadBelow = () => loadSqliteAddon(pathToFileURL(path.join(folder, "app", "dist", "agent.js")).href);
  const installed = () => path.join(folder, "node_modules", "@photostructure", "sqlite");

  it("is left to its package where the package is not installed, was compiled here, or cannot be loaded", () => {
    expect(loadBelow()).toBeUndefined();
    const location = path.join(installed(), "prebuilds", `${process.platform}-${process.arch}`);
    mkdirSync(location, { recursive: true });
    expect(loadBelow()).toBeUndefined();
    writeFileSync(path.join(location, "@photostructure+sqlite.glibc.node"), "not a library");
    expect(loadBelow()).toBeUndefined();
    mkdirSync(path.join(installed(), "build"));
    expect(loadBelow()).toBeUndefined();
  });
});
