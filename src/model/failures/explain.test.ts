import { describe, expect, it } from "vitest";
import { classify } from "./classify.ts";
import { consequencesOf } from "./consequences.ts";
import { explain, summaryOf } from "./explain.ts";
import type { FailureKind } from "./failure.ts";

const facts = { provider: "openrouter", model: "x/y", tokens: 10, window: 1_000, messageCount: 1, nowMs: 0 };
const keyed = {
  label: "OpenRouter",
  authKind: "api_key" as const,
  keyEnv: ["OPENROUTER_API_KEY"],
  signUpUrl: "https://openrouter.ai/settings/credits",
};

function failed(status: number, body: string) {
  return classify(
    { kind: "http", status, headers: {}, body },
    { ...facts, endpoint: "https://openrouter.ai/api/v1/x" },
  );
}

describe("what a person is told about a failure", () => {
  it("begins with the status and the provider's words, at most 300 characters of JSON [10:ERR-17]", () => {
    expect(summaryOf(failed(400, '{"error":{"message":"Bad thing"}}'))).toBe("HTTP 400: Bad thing");
    const long = summaryOf(failed(400, JSON.stringify({ error: { message: "x".repeat(900) } })));
    expect(long.length).toBe("HTTP 400: ".length + 300);
    expect(summaryOf(failed(400, "y".repeat(900))).length).toBe("HTTP 400: ".length + 500);
  });

  it("shows the title of an error page and its Ray id [10:ERR-17]", () => {
    const page =
      "<!DOCTYPE html><html><head><title>Bad gateway</title></head>Ray ID: <code>8f1c2d3e4a5b6c7d</code></html>";
    expect(summaryOf(failed(502, page))).toBe("HTTP 502: Bad gateway (Ray ID 8f1c2d3e4a5b6c7d)");
  });

  it("names the command that stores a key, the variable and where the refused one came from [10:ERR-17]", () => {
    const told = explain(failed(401, "{}"), { ...keyed, source: "env:OPENROUTER_API_KEY" });
    expect(told.code).toBe("invalid_credentials");
    expect(told.hint).toContain("hermes auth add openrouter");
    expect(told.hint).toContain("OPENROUTER_API_KEY");
  });

  it("sends a person with a login to log in again", () => {
    const told = explain(failed(401, "{}"), { ...keyed, authKind: "oauth_device_code" });
    expect(told).toMatchObject({ code: "relogin_required", hint: "Log in again with: hermes auth add openrouter" });
  });

  it("links to the page for credits: the provider's own, else ours [10:ERR-17]", () => {
    const own = explain(failed(402, "Insufficient credits. See https://openrouter.ai/credits."), keyed);
    expect(own.code).toBe("insufficient_credits");
    expect(own.message).toContain("https://openrouter.ai/credits");
    expect(explain(failed(402, "Insufficient credits"), keyed).hint).toContain(
      "https://openrouter.ai/settings/credits",
    );
  });

  it("[20:A5.9] shows the privacy settings link of a policy block [20:R5.4]", () => {
    const body = "No endpoints found matching your data policy. Configure: https://openrouter.ai/settings/privacy";
    const told = explain(failed(404, body), keyed);
    expect(told).toMatchObject({ code: "provider_policy_blocked" });
    expect(told.hint).toContain("https://openrouter.ai/settings/privacy");
  });

  it("states the address of a 404 that is not about a model [20:R5.4]", () => {
    expect(explain(failed(404, "")).message).toContain("https://openrouter.ai/api/v1/x");
  });

  it("advises smaller pieces when a stream broke in the middle, the connection otherwise [10:ERR-17]", () => {
    const stale = (textShown: boolean) => explain(classify({ kind: "stale", waitedMs: 1_000, textShown }, facts)).hint;
    expect(stale(true)).toContain("smaller pieces");
    expect(stale(false)).toContain("hermes doctor");
  });

  it("says how long to wait in the unit a person would use", () => {
    const hint = (seconds: string) =>
      explain(classify({ kind: "http", status: 429, headers: { "retry-after": seconds }, body: "" }, facts)).hint;
    expect(["20", "600", "86400"].map((seconds) => hint(seconds).split(" and")[0])).toEqual([
      "Wait 20 s",
      "Wait 10 minutes",
      "Wait 24 hours",
    ]);
  });

  it("names the address for more credit once", () => {
    const failure = {
      kind: "billing" as const,
      provider: "p",
      model: "m",
      isPartial: false,
      ...consequencesOf("billing"),
    };
    const helpUrl = "https://p.test/billing";
    expect(explain({ ...failure, message: "none left", helpUrl }).hint).toMatch(
      /^Add credit at https:\/\/p\.test\/billing, or/,
    );
    expect(explain({ ...failure, message: `See ${helpUrl}.`, helpUrl }).hint).toMatch(/^Add credit there, or/);
  });

  it("has a code, a sentence and an imperative hint for every kind [20:Appendix B]", () => {
    const kinds: readonly FailureKind[] = [
      "thinking_signature",
      "long_context_tier",
      "auth",
      "auth_permanent",
      "billing",
      "rate_limit",
      "overloaded",
      "server_error",
      "timeout",
      "context_overflow",
      "output_cap_too_large",
      "payload_too_large",
      "media_too_large",
      "model_not_found",
      "provider_policy_blocked",
      "unsupported_parameter",
      "content_filtered",
      "format_error",
      "invalid_response",
      "key_scope",
      "budget_exceeded",
      "unknown",
    ];
    for (const kind of kinds) {
      const error = explain({
        kind,
        provider: "p",
        model: "m",
        message: "words",
        isPartial: false,
        ...consequencesOf(kind),
      });
      expect(error.message).toMatch(/^p .+: words$/);
      expect(error.hint).toMatch(/^[A-Z]\w+ /);
      expect(error.code).toMatch(/^[a-z_]+$/);
    }
  });
});
