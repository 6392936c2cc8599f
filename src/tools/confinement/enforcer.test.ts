import { describe, expect, it } from "vitest";
import type { Confinement } from "./confinement.ts";
import { type EnforcerOptions, findEnforcer } from "./enforcer.ts";
import { seatbeltProfile } from "./seatbelt.ts";

const signal = new AbortController().signal;
const wall: Confinement = {
  workspace: "/Users/u/work",
  writable: ["/Users/u/work"],
  home: "/Users/u",
  otherHomes: [],
  hermesHome: "/Users/u/.hermes",
  hermesReadable: ["/Users/u/.hermes/skills"],
  hermesWritable: ["/Users/u/.hermes/home"],
  masked: [],
  network: { mode: "ask", allow: [], deny: [] },
  environment: [],
  enforcement: "seatbelt",
};
const options = (changes: Partial<EnforcerOptions>): EnforcerOptions => ({
  mode: "auto",
  env: { PATH: "/nowhere" },
  ...changes,
});

describe("the sandbox of the local terminal", () => {
  it("is silent when it was switched off", async () => {
    expect(await findEnforcer(options({ mode: "off" }), signal)).toEqual({ kind: "none" });
  });

  it("says loudly, in one line, that commands run without it", async () => {
    const sandbox = await findEnforcer(options({ platform: "linux" }), signal);
    expect(sandbox).toMatchObject({
      kind: "none",
      notice: expect.stringMatching(/^No sandbox on this machine: bwrap is not installed\..*needs your approval.*$/),
    });
    expect(await findEnforcer(options({ platform: "win32" }), signal)).toMatchObject({
      notice: expect.stringContaining("win32"),
    });
  });

  it("refuses to start when it is demanded and missing", async () => {
    await expect(findEnforcer(options({ mode: "on", platform: "linux" }), signal)).rejects.toMatchObject({
      code: "sandbox_missing",
    });
  });
});

describe("the macOS profile", () => {
  const at = {
    isBackground: false,
    writable: ["/private/tmp"],
    tempDir: "/private/tmp",
    revealed: [],
    network: { kind: "open" },
  } as const;

  it("allows writes only to named folders, and none to what belongs to Hermes", () => {
    const lines = seatbeltProfile(wall, at).split("\n");
    const allows = lines.findIndex((line) => line.startsWith("(allow file-write*"));
    expect(lines[0]).toBe("(version 1)");
    expect(lines.indexOf("(deny file-write*)")).toBeLessThan(allows);
    expect(lines[allows]).toContain('(subpath "/Users/u/work") (subpath "/private/tmp")');
    const hidden = lines.indexOf('(deny file-read* file-write* (subpath "/Users/u/.hermes"))');
    expect(hidden).toBeGreaterThan(allows);
    expect(lines.indexOf('(allow file-read* (subpath "/Users/u/.hermes/skills"))')).toBeGreaterThan(hidden);
    expect(lines.indexOf('(allow file-read* file-write* (subpath "/Users/u/.hermes/home"))')).toBeGreaterThan(hidden);
  });

  it("leaves one way into the network, or none", () => {
    expect(seatbeltProfile(wall, at)).not.toContain("(deny network*)");
    const none = seatbeltProfile(wall, { ...at, network: { kind: "none" } });
    expect(none).toContain("(deny network*)");
    expect(none).not.toContain("network-outbound (remote ip");
    expect(seatbeltProfile(wall, { ...at, network: { kind: "proxy", port: 4128 } })).toContain(
      '(allow network-outbound (remote ip "localhost:4128"))',
    );
  });

  it("quotes what stands in paths", () => {
    const odd = { ...wall, writable: ['/Users/u/odd"name'] };
    expect(seatbeltProfile(odd, at)).toContain('(subpath "/Users/u/odd\\"name")');
  });
});
