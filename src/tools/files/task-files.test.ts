import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { silentLogger } from "#foundation/files/logger";
import { localFiles } from "../terminals/local-files.ts";
import { folderTerminal, leasesOf, testScope } from "../testing.ts";
import { resultFiles } from "./task-files.ts";

let folder = "";
beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), "hermes-results-")));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it("keeps a long result behind no link that a program put into the folder for temporary files", async () => {
  const terminal = { ...folderTerminal(folder), tempDir: folder, files: localFiles };
  const files = resultFiles(leasesOf(terminal), { taskId: "task", scope: testScope() }, silentLogger);
  const outside = path.join(folder, "outside");
  mkdirSync(outside);
  symlinkSync(outside, path.join(folder, "hermes-results"));
  expect(await files.keep("call_1", "planted")).toBeUndefined();
  expect(existsSync(path.join(outside, "call_1.txt"))).toBe(false);
  rmSync(path.join(folder, "hermes-results"));
  mkdirSync(path.join(folder, "hermes-results"));
  const own = path.join(outside, ".bashrc");
  writeFileSync(own, "mine");
  symlinkSync(own, path.join(folder, "hermes-results", "call_2.txt"));
  const kept = await files.keep("call_2", "planted");
  expect(readFileSync(own, "utf8")).toBe("mine");
  expect(readFileSync(kept ?? "", "utf8")).toBe("planted");
});
