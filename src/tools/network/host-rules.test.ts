import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addressKind } from "./addresses.ts";
import { type HostRules, judgeHost, matchesHost, readDestination } from "./host-rules.ts";
import { hostsIn } from "./registries.ts";

const asks: HostRules = { mode: "ask", allow: [], deny: [] };

describe("which hosts a confined command may reach", () => {
  it.each([
    ["github.com", 443, "allow"],
    ["raw.githubusercontent.com", 443, "allow"],
    ["github.com", 22, "allow"],
    ["github.com", 6379, "ask"],
    ["evil-github.com", 443, "ask"],
    ["github.com.evil.example", 443, "ask"],
    ["example.org", 443, "ask"],
    ["10.0.0.7", 443, "refuse"],
    ["169.254.169.254", 80, "refuse"],
    ["127.0.0.1", 5432, "refuse"],
    ["::1", 5432, "refuse"],
    ["::ffff:10.0.0.1", 80, "refuse"],
    ["localhost", 80, "refuse"],
    ["printer.local", 80, "refuse"],
    ["metadata.google.internal", 80, "refuse"],
  ] as const)("%s:%i with nothing configured: %s", (host, port, verdict) => {
    expect(judgeHost({ host, port }, asks).kind).toBe(verdict);
  });

  it("lets the person name a private host, and denial wins over everything", () => {
    const rules: HostRules = { mode: "off", allow: ["10.0.0.7:5432", "*.corp.example"], deny: ["db.corp.example"] };
    expect(judgeHost({ host: "10.0.0.7", port: 5432 }, rules).kind).toBe("allow");
    expect(judgeHost({ host: "10.0.0.7", port: 22 }, rules).kind).toBe("refuse");
    expect(judgeHost({ host: "a.corp.example", port: 443 }, rules).kind).toBe("allow");
    expect(judgeHost({ host: "db.corp.example", port: 443 }, rules).kind).toBe("refuse");
    expect(judgeHost({ host: "example.org", port: 443 }, rules).kind).toBe("refuse");
  });

  it("open lets public hosts through and private ones not", () => {
    const open: HostRules = { ...asks, mode: "open" };
    expect(judgeHost({ host: "example.org", port: 8443 }, open).kind).toBe("allow");
    expect(judgeHost({ host: "192.168.1.1", port: 80 }, open).kind).toBe("refuse");
  });

  it("a star stands for names below, never for the name itself or a longer word", () => {
    expect(matchesHost("*.example.org", { host: "a.example.org", port: 1 })).toBe(true);
    expect(matchesHost("*.example.org", { host: "example.org", port: 1 })).toBe(false);
    expect(matchesHost("*.example.org", { host: "aexample.org", port: 1 })).toBe(false);
  });

  it("reads host and port only from what is exactly that", () => {
    expect(readDestination("Example.ORG.:443")).toEqual({ host: "example.org", port: 443 });
    expect(readDestination("[::1]:80")).toEqual({ host: "::1", port: 80 });
    for (const text of [
      "example.org",
      "a b:80",
      "x:0",
      "x:70000",
      "user@host:80",
      "host:80/path",
      ":80",
      "http://x:80",
    ])
      expect(readDestination(text)).toBeUndefined();
  });

  it("never reads a destination that holds white space, a slash or a user", () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 0, max: 70_000 }), (host, port) => {
        const read = readDestination(`${host}:${port}`);
        if (read !== undefined) expect(read.host).not.toMatch(/[\s/@?#]/);
      }),
    );
  });

  it("finds the hosts of registries in what package managers print", () => {
    expect(hostsIn("https://mirror.example/npm/\n")).toEqual(["mirror.example:443"]);
    expect(hostsIn("global.index-url='http://pip.example:8080/simple'")).toEqual(["pip.example:8080"]);
    expect(hostsIn("https://a.example,direct|off\nsum.example")).toEqual(["a.example:443"]);
  });
});

describe("addresses that are not the internet", () => {
  it.each([
    ["168.63.129.16", "metadata"],
    ["::ffff:168.63.129.16", "metadata"],
    ["::ffff:1.1.1.1", "private"],
    ["::ffff:127.0.0.1", "private"],
    ["fec0::1", "private"],
    ["feff::1", "private"],
    ["2001::1", "private"],
    ["2001:0:53aa:64c::1", "private"],
    ["2001:4860:4860::8888", "public"],
    ["64:ff9b::a00:1", "private"],
    ["1.1.1.1", "public"],
  ])("%s is %s", (address, kind) => {
    expect(addressKind(address)).toBe(kind);
  });
});
