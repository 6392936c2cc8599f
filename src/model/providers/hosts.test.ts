import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hostMatches, hostOf, isInScope, isLocalUrl, scopeOf } from "./hosts.ts";

describe("which host an address has", () => {
  test.each([
    ["https://OpenRouter.AI./api/v1", "openrouter.ai", true],
    ["https://sub.openrouter.ai/x", "openrouter.ai", true],
    ["https://ollama.com.evil.test/v1", "ollama.com", false],
    ["https://evil.test/ollama.com/v1", "ollama.com", false],
    ["https://evil.test?x=ollama.com", "ollama.com", false],
    ["https://evil.test#ollama.com", "ollama.com", false],
    ["https://ollama.com@evil.test/", "ollama.com", false],
    ["https://notollama.com/", "ollama.com", false],
    ["https://ollama.com\\@evil.test/", "evil.test", false],
    ["not a url", "ollama.com", false],
  ])("[20:R3.17] %s belongs to %s: %s", (url, domain, expected) => {
    expect(hostMatches(url, domain)).toBe(expected);
  });

  test("[20:R3.16] look-alikes of any shape never match", () => {
    const label = fc.stringMatching(/^[a-z0-9]{1,8}$/);
    fc.assert(
      fc.property(label, label, fc.constantFrom("/", "?", "#", "/a/"), (one, other, mark) => {
        expect(hostMatches(`https://openrouter.ai.${one}.test/`, "openrouter.ai")).toBe(false);
        expect(hostMatches(`https://${one}openrouter.ai/`, "openrouter.ai")).toBe(false);
        expect(hostMatches(`https://${one}.test${mark}openrouter.ai/${other}`, "openrouter.ai")).toBe(false);
        expect(hostMatches(`https://openrouter.ai@${one}.test/`, "openrouter.ai")).toBe(false);
      }),
    );
  });

  test("international look-alikes are seen in their ASCII form", () => {
    expect(hostOf("https://оpenrouter.ai/")).toMatch(/^xn--/);
  });
});

describe("where a credential may go", () => {
  test.each([
    ["https://api.x.ai/v1", "api.x.ai", true],
    ["http://api.x.ai/v1", "api.x.ai", false],
    ["https://user:pw@api.x.ai/v1", "api.x.ai", false],
    ["ftp://api.x.ai/v1", "api.x.ai", false],
    ["http://localhost:8000/v1", "localhost:8000", true],
    ["http://localhost:8001/v1", "localhost:8000", false],
    ["http://[::1]:8000/v1", "[::1]:8000", true],
    ["https://sub.example.com/v1", "example.com:443", false],
    ["https://example.com/v1", "example.com:443", true],
  ])("[20:R3.16] %s with the entry %s: %s", (url, entry, expected) => {
    expect(isInScope(url, entry)).toBe(expected);
  });

  test("the scope of one server names its port", () => {
    expect([scopeOf("https://Example.com./v1"), scopeOf("http://localhost:8080"), scopeOf("acp://copilot")]).toEqual([
      "example.com:443",
      "localhost:8080",
      undefined,
    ]);
  });
});

describe("local addresses", () => {
  test.each([
    "http://localhost",
    "http://127.0.0.1:1",
    "http://127.9.9.9",
    "http://[::1]",
    "http://0.0.0.0",
    "http://10.1.2.3",
    "http://172.16.0.1",
    "http://172.31.255.255",
    "http://192.168.1.1",
    "http://169.254.1.1",
    "http://100.64.0.1",
    "http://100.127.255.255",
    "http://host.docker.internal",
    "http://x.containers.internal",
    "http://host.lima.internal",
    "http://[fe80::1]",
    "http://[::ffff:127.0.0.1]",
  ])("[20:R1.60] %s is local", (url) => expect(isLocalUrl(url)).toBe(true));

  test.each([
    "https://api.openai.com",
    "http://8.8.8.8",
    "http://172.32.0.1",
    "http://100.128.0.1",
    "http://11.0.0.1",
    "http://docker.internal.evil.test",
    "http://localhost.evil.test",
    "http://1270.0.0.1.evil.test",
    "http://[2001:db8::1]",
  ])("[20:R1.60] %s is not", (url) => expect(isLocalUrl(url)).toBe(false));
});
