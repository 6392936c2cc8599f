import { describe, expect, test } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { Secret } from "#foundation/secrets/secret";
import type { SignInput } from "../credential-handle.ts";
import { anthropic } from "../providers/records/anthropic.ts";
import { maskKey } from "./mask.ts";
import { openHandle } from "./open-handle.ts";
import { joinMembers } from "./pool/pool-members.ts";
import { isAnthropicLoginToken, schemeFor } from "./scheme.ts";
import { KeyScopeError, keyCredential, noCredential } from "./scoped.ts";
import { mayReadForeignLogin } from "./sources.ts";
import { cleanKey, usableKey } from "./usable-key.ts";

const input = (url: string, headers: Readonly<Record<string, string>> = {}): SignInput => ({
  method: "POST",
  url: new URL(url),
  headers,
  body: "",
});

describe("a credential and its hosts", () => {
  const handle = keyCredential({
    id: "1",
    source: "env:X_API_KEY",
    scheme: { kind: "bearer" },
    allowedHosts: ["api.example.com"],
    secret: new Secret("sk-0123456789abcdef"),
  });

  test("[20:R3.16] another host is refused with both named and the key not", async () => {
    const error: unknown = await handle
      .authorize(input("https://evil.test/api.example.com"), never)
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(KeyScopeError);
    expect(error).toMatchObject({ code: "key_scope_violation", host: "evil.test", allowedHosts: ["api.example.com"] });
    expect(String(error)).toMatch(/env:X_API_KEY.*evil\.test.*api\.example\.com/);
    expect(JSON.stringify(error) + String(error)).not.toContain("0123456789");
  });

  test("[20:R3.16] below the domain it may go, over TLS only", async () => {
    expect(await handle.authorize(input("https://eu.api.example.com/v1"), never)).toEqual({
      Authorization: "Bearer sk-0123456789abcdef",
    });
    await expect(handle.authorize(input("http://api.example.com/v1"), never)).rejects.toThrow(KeyScopeError);
  });

  test("a plain key cannot be renewed; no credential sends nothing anywhere", async () => {
    expect(await handle.refresh(never)).toBe(false);
    expect(await noCredential.authorize(input("https://anywhere.test"), never)).toEqual({});
  });

  test("[20:R3.18] what people see of a key", () => {
    expect([
      maskKey("sk-0123456789abcdef"),
      maskKey(new Secret("0123456789a")),
      maskKey("012345678901"),
      handle.masked,
    ]).toEqual(["sk-0...cdef", "***", "0123...8901", "sk-0...cdef"]);
  });
});

describe("keys", () => {
  test.each([
    "",
    "abc",
    "*",
    "***",
    "CHANGEME",
    "your_api_key",
    "Your-API-Key",
    "placeholder",
    "example",
    "dummy",
    "null",
    "None",
    undefined,
  ])("[20:R2.3] %j is none", (value) => expect(usableKey(value)).toBeUndefined());
  test("[20:R2.3] four characters can be one", () => expect(usableKey(" abcd ")).toBe("abcd"));

  test("[20:R3.19] [10:LOOP-44] characters from web pages are left out of secrets only", () => {
    expect(cleanKey("X_API_KEY", "ab\u00a0cd\u201d")).toEqual({
      value: "abcd",
      warning: "X_API_KEY held characters that no key has (U+00A0, U+201D); they were left out.",
    });
    expect(cleanKey("X_BASE_URL", "h\u00e9")).toEqual({ value: "h\u00e9" });
    expect(cleanKey("GH_TOKEN", "plain")).toEqual({ value: "plain" });
  });

  test.each([
    ["sk-ant-oat01-x", true],
    ["sk-ant-api03-x", false],
    ["eyJhbGci", true],
    ["cc-123", true],
    ["sk-123", false],
  ])("[20:R1.50] %s is a subscription token: %s", (value, expected) =>
    expect(isAnthropicLoginToken(value)).toBe(expected),
  );

  test.each([
    ["anthropic_messages", "https://api.anthropic.com", "sk-ant-oat01", { kind: "bearer" }],
    ["anthropic_messages", "https://api.anthropic.com", "sk-ant-api03", { kind: "header", name: "x-api-key" }],
    ["anthropic_messages", "https://api.minimax.io/anthropic", "k", { kind: "bearer" }],
    ["anthropic_messages", "https://api.kimi.com/coding", "eyJ", { kind: "header", name: "x-api-key" }],
    [
      "anthropic_messages",
      "https://api.anthropic.com.evil.test",
      "sk-ant-oat01",
      { kind: "header", name: "x-api-key" },
    ],
    ["chat_completions", "https://api.anthropic.com", "sk-ant-api03", { kind: "bearer" }],
    [
      "gemini_generate",
      "https://generativelanguage.googleapis.com/v1beta",
      "k",
      { kind: "header", name: "x-goog-api-key" },
    ],
    ["gemini_generate", "cloudcode-pa://google", "ya29.x", { kind: "bearer" }],
  ] as const)("[20:R1.50] %s at %s with %s", (protocol, baseUrl, key, expected) =>
    expect(schemeFor({ protocol, baseUrl, key })).toEqual(expected),
  );

  test("[20:R1.51] a subscription token adds its betas to those asked for; the client's own only after the notice", async () => {
    const [member] = joinMembers(
      [],
      [{ source: "env:ANTHROPIC_TOKEN", label: "x", authType: "oauth", secret: new Secret("sk-ant-oat01-abcdef") }],
      [],
    );
    if (member === undefined) throw new Error("no member");
    const open = (isNoticeAccepted: boolean) =>
      openHandle(member, {
        profile: anthropic,
        protocol: "anthropic_messages",
        baseUrl: anthropic.baseUrl,
        isExplicitUrl: false,
        isNoticeAccepted,
      });
    const asked = input("https://api.anthropic.com/v1/messages", {
      "anthropic-beta": "interleaved-thinking-2025-05-14",
    });
    expect((await open(false).authorize(asked, never))["anthropic-beta"]).toBe(
      "interleaved-thinking-2025-05-14,oauth-2025-04-20",
    );
    expect((await open(true).authorize(asked, never))["anthropic-beta"]).toBe(
      "interleaved-thinking-2025-05-14,claude-code-20250219,oauth-2025-04-20",
    );
  });

  test("[20:R3.26] who chose a provider may have another program's login read", () => {
    const consent = (activeProvider: string | undefined, ...chosenProviders: string[]) => ({
      activeProvider,
      chosenProviders,
    });
    expect(mayReadForeignLogin(anthropic, {}, consent(undefined))).toBe(false);
    expect(mayReadForeignLogin(anthropic, { CLAUDE_CODE_OAUTH_TOKEN: "sk-ant-oat" }, consent(undefined))).toBe(false);
    expect(mayReadForeignLogin(anthropic, { ANTHROPIC_TOKEN: "sk-ant-oat" }, consent(undefined))).toBe(true);
    expect(mayReadForeignLogin(anthropic, {}, consent("anthropic"))).toBe(true);
    expect(mayReadForeignLogin(anthropic, {}, consent(undefined, "Claude"))).toBe(true);
  });
});
