import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { importModule, realImport } from "./import-module.ts";

const folder = mkdtempSync(path.join(tmpdir(), "hermes-import-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => void Reflect.deleteProperty(globalThis, realImport));

describe("importing a module that is not part of the program", () => {
  it("reads a file by its address", async () => {
    const file = path.join(folder, "answer.mjs");
    writeFileSync(file, "export const answer = 42;\n");
    expect(await importModule(pathToFileURL(file).href)).toMatchObject({ answer: 42 });
  });

  it("uses the import the launcher left, where there is one", async () => {
    Reflect.set(globalThis, realImport, (address: string) => Promise.resolve({ address }));
    expect(await importModule("file:///nowhere.mjs")).toEqual({ address: "file:///nowhere.mjs" });
  });
});
