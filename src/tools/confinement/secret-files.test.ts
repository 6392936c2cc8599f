import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { KnownSecretFiles, SecretFiles } from "./secret-files.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "hermes-secret-files-"));
  mkdirSync(path.join(folder, "app/inner"), { recursive: true });
  writeFileSync(path.join(folder, "app/main.ts"), "");
  // Long after the folders changed: what is seen of them is kept.
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true, force: true });
});

it("finds a file that appeared, or took another's place, in a folder that was looked at before", () => {
  const files = new SecretFiles();
  expect(files.in(folder)).toEqual([]);
  writeFileSync(path.join(folder, "app/inner/.env"), "A=1");
  expect(files.in(folder)).toEqual([path.join(folder, "app/inner/.env")]);
  rmSync(path.join(folder, "app/inner/.env"));
  expect(files.in(folder)).toEqual([]);
  mkdirSync(path.join(folder, "other"));
  writeFileSync(path.join(folder, "other/id.pem"), "");
  rmSync(path.join(folder, "app"), { recursive: true });
  renameSync(path.join(folder, "other"), path.join(folder, "app"));
  expect(files.in(folder)).toEqual([path.join(folder, "app/id.pem")]);
});

it("reads a folder again that changed only now, since its time would not tell of the next change", () => {
  vi.setSystemTime(Date.now() - 60_000);
  const files = new SecretFiles();
  files.in(folder);
  writeFileSync(path.join(folder, "app/server.key"), "");
  expect(files.in(folder)).toEqual([path.join(folder, "app/server.key")]);
});

it("finds what lies deep in the project and in other projects of the person, and leaves out what tools fetched", () => {
  const home = path.join(folder, "home");
  const workspace = path.join(folder, "app");
  const put = (...names: readonly string[]) => {
    for (const name of names) {
      mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
      writeFileSync(path.join(folder, name), "");
    }
  };
  const secrets = ["app/packages/a/b/c/.env", "app/server.pem", "home/other/.env", "home/Documents/keys/id_rsa"];
  put(...secrets, "app/.venv/lib/certifi/cacert.pem", "app/a/b/c/d/test.pem", "home/.cache/x/.env", "home/ca.pem");
  const found = new KnownSecretFiles().in({ workspace, home });
  expect([...found].sort()).toEqual(secrets.map((name) => path.join(folder, name)).sort());
});
