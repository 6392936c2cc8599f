import { existsSync } from "node:fs";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { KnownRegistries } from "./registries.ts";

const mirror = { host: "mirror.example", port: 443 };

describe("the registries a person's package managers are set up with", () => {
  let folder: string;
  const at = (name: string): string => path.join(folder, name);

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "hermes-registries-"));
    // A package manager that takes its time: until somebody lets it go on.
    const script = `#!/bin/sh\necho $$ >> "${at("started")}"\nwhile [ ! -e "${at("go")}" ]; do sleep 0.02; done\necho https://mirror.example/\n`;
    await writeFile(at("npm"), script);
    await chmod(at("npm"), 0o755);
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  const open = (): KnownRegistries => new KnownRegistries({ PATH: `${folder}:/usr/bin:/bin` });
  const started = (): Promise<void> => vi.waitFor(() => expect(existsSync(at("started"))).toBe(true), 10_000);

  it("are learned for every connection that waits, also when the one that asked first goes away", async () => {
    await using registries = open();
    const first = new AbortController();
    const leaving = registries.has(mirror, first.signal);
    const staying = registries.has(mirror, never);
    await started();
    first.abort();
    await expect(leaving).rejects.toThrow();
    await writeFile(at("go"), "");
    expect(await staying).toBe(true);
    expect((await readFile(at("started"), "utf8")).trim().split("\n")).toHaveLength(1);
  });

  it("are not asked for any longer when Hermes closes: the package managers have ended then", async () => {
    const registries = open();
    const asked = registries.has(mirror, never);
    const failed = expect(asked).rejects.toThrow();
    await started();
    await registries[Symbol.asyncDispose]();
    await failed;
    const pid = Number((await readFile(at("started"), "utf8")).trim());
    expect(() => process.kill(pid, 0)).toThrow();
  });
});
