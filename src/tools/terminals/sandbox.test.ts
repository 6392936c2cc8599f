import os from "node:os";
import { describe, expect, it } from "vitest";
import { seatbeltProfile } from "./sandbox/seatbelt.ts";
import { openSandbox, type SandboxOptions } from "./sandbox.ts";

const signal = new AbortController().signal;
const policy = {
  home: "/Users/u",
  hermesHome: "/Users/u/.hermes",
  writable: ["/Users/u/work"],
  network: "on",
} as const;
const options = (changes: Partial<SandboxOptions>): SandboxOptions => ({
  mode: "auto",
  policy,
  env: { PATH: "/nowhere" },
  tempDir: os.tmpdir(),
  ...changes,
});

describe("the sandbox of the local terminal", () => {
  it("is silent when it was switched off", async () => {
    expect(await openSandbox(options({ mode: "off" }), signal)).toEqual({ kind: "open" });
  });

  it("says loudly, in one line, that commands run without it", async () => {
    const sandbox = await openSandbox(options({ platform: "linux" }), signal);
    expect(sandbox).toMatchObject({
      kind: "open",
      notice: expect.stringMatching(/^Commands run WITHOUT a sandbox: bwrap is not installed.*$/),
    });
    expect(await openSandbox(options({ platform: "win32" }), signal)).toMatchObject({
      notice: expect.stringContaining("win32"),
    });
  });

  it("refuses to start when it is demanded and missing", async () => {
    await expect(openSandbox(options({ mode: "on", platform: "linux" }), signal)).rejects.toMatchObject({
      code: "sandbox_missing",
    });
  });
});

describe("the macOS profile", () => {
  const masks = [
    { path: "/Users/u/.ssh", kind: "folder" },
    { path: '/Users/u/odd"name', kind: "file" },
  ] as const;

  it("allows writes only to named folders, and hides credentials after everything else was allowed", () => {
    const profile = seatbeltProfile(policy, { writable: ["/private/tmp"], masks });
    const lines = profile.split("\n");
    expect(lines[0]).toBe("(version 1)");
    expect(lines.indexOf("(deny file-write*)")).toBeLessThan(
      lines.findIndex((line) => line.startsWith("(allow file-write*")),
    );
    expect(profile).toContain('(allow file-write* (subpath "/Users/u/work") (subpath "/private/tmp")');
    expect(profile).toContain('(deny file-read* file-write* (subpath "/Users/u/.ssh"))');
    expect(profile).toContain('(literal "/Users/u/odd\\"name")');
    expect(lines.findIndex((line) => line.includes(".ssh"))).toBeGreaterThan(
      lines.findIndex((line) => line.startsWith("(allow file-write*")),
    );
    expect(profile).not.toContain("(deny network*)");
  });

  it("keeps our own settings from being written, except a workspace inside them", () => {
    const inner = { ...policy, writable: ["/Users/u", "/Users/u/.hermes/work"] };
    const lines = seatbeltProfile(inner, { writable: [], masks: [] }).split("\n");
    const denied = lines.indexOf('(deny file-write* (subpath "/Users/u/.hermes"))');
    expect(denied).toBeGreaterThan(lines.findIndex((line) => line.startsWith("(allow file-write*")));
    expect(lines.indexOf('(allow file-write* (subpath "/Users/u/.hermes/work"))')).toBeGreaterThan(denied);
  });

  it("closes the network when asked", () => {
    expect(seatbeltProfile({ ...policy, network: "none" }, { writable: [], masks })).toContain("(deny network*)");
  });
});
