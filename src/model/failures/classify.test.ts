import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expectLinear } from "#foundation/testing/growth";
import { classify } from "./classify.ts";
import type { AttemptFault, FailureFacts } from "./fault.ts";
import { fittingOutputTokens, retryDelayMs } from "./retry-delay.ts";

const facts: FailureFacts = {
  provider: "openrouter",
  model: "m",
  tokens: 2_000,
  window: 200_000,
  messageCount: 6,
  nowMs: Date.UTC(2026, 0, 1),
};

function answers(status: number, message: string, extra: Partial<FailureFacts> = {}) {
  const body = JSON.stringify({ error: { message } });
  return classify({ kind: "http", status, headers: {}, body }, { ...facts, ...extra });
}

describe("classification", () => {
  it("[10:A11.1] a 429 may be retried, rotated and left for a fallback [10:ERR-1]", () => {
    expect(answers(429, "Rate limit")).toMatchObject({
      kind: "rate_limit",
      isRetryable: true,
      mayCompress: false,
      mayRotate: true,
      mayFallBack: true,
      status: 429,
      message: "Rate limit",
    });
  });

  it("does not take the state of allowances for a wait when the service is overloaded [10:ERR-4]", () => {
    const headers = {
      "x-ratelimit-reset": "1",
      "x-ratelimit-remaining-requests": "0",
      "x-ratelimit-reset-requests": "6ms",
    };
    expect(classify({ kind: "http", status: 503, headers, body: "" }, facts).retryAfterMs).toBeUndefined();
    const asked = { ...headers, "Retry-After": "7" };
    expect(classify({ kind: "http", status: 503, headers: asked, body: "" }, facts).retryAfterMs).toBe(7_000);
  });

  it("[10:A11.2] a 402 that resets by itself is a rate limit, one without credit is billing [10:ERR-1]", () => {
    expect(answers(402, "usage limit, try again in 5 minutes")).toMatchObject({
      kind: "rate_limit",
      retryAfterMs: 300_000,
    });
    expect(answers(402, "insufficient credits").kind).toBe("billing");
  });

  it("[10:A11.3] mentioning max_tokens is not an overflow; the output cap is lowered to what fits [10:ERR-1]", () => {
    expect(answers(400, "prompt is too long").kind).toBe("context_overflow");
    expect(answers(400, "Unsupported parameter: 'max_tokens'").kind).toBe("unsupported_parameter");
    const text = "max_tokens: 32768 > context_window: 200000 - input_tokens: 190000 = available_tokens: 10000";
    const failure = answers(400, text);
    expect(failure).toMatchObject({ kind: "output_cap_too_large", mayCompress: false, availableOutputTokens: 10_000 });
    expect(failure.contextLimit).toBeUndefined();
    expect(fittingOutputTokens(failure)).toBe(9_936);
    expect(answers(400, "max_tokens must be an integer").kind).toBe("format_error");
  });

  it("[10:A11.4] an empty complaint means overflow only for a large request [10:ERR-1]", () => {
    expect(answers(400, "Error", { tokens: 90_000 }).kind).toBe("context_overflow");
    expect(answers(400, "Error", { tokens: 5_000, messageCount: 4 }).kind).toBe("format_error");
    expect(answers(400, "a complaint that says quite a lot already", { tokens: 90_000 }).kind).toBe("format_error");
  });

  it("[10:A11.5] a broken TLS record is a transport fault at any size [10:ERR-1]", () => {
    const failure = classify(
      { kind: "connection", failure: { kind: "connection", message: "ECONNRESET: bad record mac" } },
      { ...facts, tokens: 150_000 },
    );
    expect(failure).toMatchObject({ kind: "timeout", mayCompress: false });
  });

  it("[10:A11.7] a bare 404 is retried, a data-policy 404 is final [10:ERR-1] [20:R5.4]", () => {
    expect(answers(404, "Not Found")).toMatchObject({ kind: "unknown", isRetryable: true });
    expect(answers(404, "no endpoints available matching your data policy")).toMatchObject({
      kind: "provider_policy_blocked",
      isRetryable: false,
      mayFallBack: false,
    });
  });

  it("[10:A11.12] names the window the message states, and not an excess [10:ERR-12] [20:R6.3]", () => {
    expect(answers(400, "maximum context length is 32768 tokens").contextLimit).toBe(32_768);
    expect(answers(400, "context window exceeded by 5000 tokens")).toMatchObject({ kind: "context_overflow" });
    expect(answers(400, "context window exceeded by 5000 tokens").contextLimit).toBeUndefined();
    expect(answers(400, "context window exceeded by 5000 tokens").excessTokens).toBe(5_000);
    expect(answers(400, "maximum context length is 12 tokens").contextLimit).toBeUndefined();
    expect(answers(400, "maximum context length is 1,048,576 tokens").contextLimit).toBe(1_048_576);
  });

  it("[20:A5.12] keeps the words of an inner error over those of its wrapper [10:A11.6] [10:ERR-1]", () => {
    const raw = JSON.stringify({ error: { message: "context length exceeded" } });
    const body = JSON.stringify({ error: { message: "Provider returned error", metadata: { raw } } });
    const failure = classify({ kind: "http", status: 400, headers: {}, body }, facts);
    expect(failure).toMatchObject({ kind: "context_overflow", message: "context length exceeded" });
  });

  it("an answer of the wrong shape is malformed, unless it says what is wrong [10:ERR-7]", () => {
    const lifted = (body: string) =>
      classify(
        {
          kind: "stream",
          fault: { type: "stream-fault", message: "the answer holds no choice", body },
          textShown: false,
        },
        facts,
      );
    expect(lifted('{"choices":[]}')).toMatchObject({ kind: "invalid_response", message: "the answer holds no choice" });
    expect(lifted('{"base_resp":{"status_code":1008,"status_msg":"insufficient balance"}}').kind).toBe("billing");
  });

  it("takes a key that the provider quotes out of the message", () => {
    const failure = answers(401, "Incorrect API key provided: sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD");
    expect(failure.message).not.toContain("abcdefghijklmnopqrstuvwxyz");
  });

  it("knows faults that are not answers", () => {
    const kinds = (
      [
        { kind: "stale", waitedMs: 180_000, textShown: true },
        { kind: "invalid", reason: "no choices" },
        { kind: "key-scope", host: "evil.test" },
        { kind: "budget", message: "session limit of $1 reached" },
      ] satisfies AttemptFault[]
    ).map((fault) => classify(fault, facts));
    expect(kinds.map((failure) => [failure.kind, failure.isPartial])).toEqual([
      ["timeout", true],
      ["invalid_response", false],
      ["key_scope", false],
      ["budget_exceeded", false],
    ]);
  });
});

describe("thrown errors", () => {
  const thrown = (error: unknown, extra: Partial<FailureFacts> = {}) =>
    classify({ kind: "thrown", error }, { ...facts, ...extra });

  it("an error named RateLimitError counts as 429 [10:ERR-1]", () => {
    class RateLimitError extends Error {
      override readonly name = "RateLimitError";
    }
    expect(thrown(new RateLimitError("slow down"))).toMatchObject({ kind: "rate_limit", status: 429 });
  });

  it("reads up to five causes and no further [10:ERR-1]", () => {
    const buried = (depth: number): Error =>
      depth === 0
        ? Object.assign(new Error("busy"), { status: 503 })
        : new Error(`level ${depth}`, { cause: buried(depth - 1) });
    expect(thrown(buried(5))).toMatchObject({ kind: "overloaded", status: 503 });
    expect(thrown(buried(6)).kind).toBe("unknown");
  });

  it("survives causes that go in a circle and getters that throw", () => {
    const circle = new Error("round");
    circle.cause = circle;
    expect(thrown(circle)).toMatchObject({ kind: "unknown", message: "round" });
    const trap = Object.defineProperty(new Error("x"), "status", {
      get: () => {
        throw new Error("no");
      },
    });
    expect(thrown(trap).kind).toBe("unknown");
  });

  it("finds the body an SDK error carries", () => {
    const error = Object.assign(new Error("400 status code"), {
      status: 400,
      error: { error: { message: "prompt is too long: 10 tokens > 8192 maximum" } },
    });
    expect(thrown(error)).toMatchObject({ kind: "context_overflow", contextLimit: 8_192 });
  });

  it("tells a hang-up on a large request from one on a small request", () => {
    const error = new TypeError("fetch failed", { cause: Object.assign(new Error("reset"), { code: "ECONNRESET" }) });
    expect(thrown(error).kind).toBe("timeout");
    expect(thrown(error, { tokens: 130_000 }).kind).toBe("context_overflow");
  });
});

describe("how long to wait before another attempt", () => {
  const limited = (headers: Record<string, string>, status = 429) =>
    classify({ kind: "http", status, headers, body: "" }, facts);

  it("[10:A11.9] doubles from two seconds with up to half on top [10:ERR-3] [20:R5.6]", () => {
    const failure = limited({}, 503);
    const at = (attempt: number, random: number) => retryDelayMs(failure, { attempt, random: () => random });
    expect([at(1, 0), at(1, 1), at(2, 0), at(2, 1)]).toEqual([2_000, 3_000, 4_000, 6_000]);
    expect([at(9, 0), at(9, 1)]).toEqual([60_000, 90_000]);
  });

  it("waits longer after malformed answers [10:ERR-3]", () => {
    const failure = classify({ kind: "invalid", reason: "no choices" }, facts);
    expect([1, 2, 9].map((attempt) => retryDelayMs(failure, { attempt, random: () => 0 }))).toEqual([
      5_000, 10_000, 120_000,
    ]);
  });

  it("[10:A11.9] waits as long as the server asked, at most two minutes [10:ERR-4]", () => {
    expect(retryDelayMs(limited({ "retry-after": "10" }), { attempt: 1 })).toBe(10_000);
    expect(retryDelayMs(limited({ "Retry-After": "900" }), { attempt: 1 })).toBe(120_000);
    expect(retryDelayMs(limited({ "retry-after": "10" }, 529), { attempt: 1 })).toBe(10_000);
    expect(retryDelayMs(limited({ "retry-after": "10" }, 500), { attempt: 1, random: () => 0 })).toBe(2_000);
  });

  it.each([
    ["retry after 20 seconds", 20_000],
    ["Please try again in 6m0s.", 360_000],
    ["please retry in 38.2s", 38_200],
    ['{"error":{"details":[{"metadata":{"quotaResetDelay":"250ms"}}]}}', 250],
    ['{"quotaResetDelay": "3.5s"}', 3_500],
    ['{"retry_after": 12}', 12_000],
    ['{"resets_at": 1767225630}', 30_000],
    ['{"reset_at": "2026-01-01T00:01:00Z"}', 60_000],
    ["nothing about time", undefined],
  ])("reads the wait in %j [10:ERR-5]", (body, expected) => {
    expect(classify({ kind: "http", status: 429, headers: {}, body }, facts).retryAfterMs).toBe(expected);
  });
});

describe("any fault", () => {
  const status = fc.integer({ min: 100, max: 599 });
  const words = fc.constantFrom(
    "context",
    "max_tokens",
    "{",
    '"error":',
    "<title",
    "signature",
    "thinking",
    "\n",
    "input token count",
    "上下文",
  );
  const text = fc.oneof(
    fc.string(),
    fc.json(),
    fc.array(words).map((list) => list.join(" ")),
  );

  it("is classified without throwing, the same way twice [10:ERR-1]", () => {
    fc.assert(
      fc.property(status, text, fc.dictionary(fc.string(), fc.string()), (code, body, headers) => {
        const fault: AttemptFault = { kind: "http", status: code, headers, body };
        const failure = classify(fault, facts);
        expect(classify(fault, facts)).toEqual(failure);
        expect(failure.message.length).toBeLessThanOrEqual(500);
        expect(failure.retryAfterMs ?? 0).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  it("that was thrown is classified whatever it is", () => {
    fc.assert(
      fc.property(fc.anything(), (error) => {
        expect(classify({ kind: "thrown", error }, facts).provider).toBe("openrouter");
      }),
    );
  });

  it.each([
    "input token count ",
    "<title",
    "context window ",
    "[[[[",
    '{"a":',
    "1,1,",
    "retry in 1 s 2 ",
    "ray id <b>",
    " ",
  ])("of a megabyte of %j costs no more than its length", (piece) => {
    expectLinear(1_000_000, (size) => {
      const body = piece.repeat(Math.ceil(size / piece.length));
      classify({ kind: "http", status: 400, headers: {}, body }, facts);
      classify({ kind: "stream", fault: { type: "stream-fault", message: body, body }, textShown: false }, facts);
    });
  });

  it("takes a stream that broke after text for a lost connection, however large the request was", () => {
    const large = { ...facts, tokens: 190_000, window: 200_000 };
    const fault = { type: "stream-fault", message: "the stream ended before its end", body: "" } as const;
    expect(classify({ kind: "stream", fault, textShown: true }, large)).toMatchObject({
      kind: "timeout",
      isPartial: true,
    });
    expect(classify({ kind: "stream", fault, textShown: false }, large).kind).toBe("context_overflow");
  });
});
