import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { HttpFailure } from "#foundation/http/request";
import { classify } from "./classify.ts";
import type { AttemptFault, FailureFacts } from "./fault.ts";

/** One failure as a provider really reports it, and what it has to be taken for. */
interface FailureCase {
  readonly name: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly stream?: {
    readonly status?: number;
    readonly code?: string;
    readonly message: string;
    readonly body: string;
  };
  readonly textShown?: boolean;
  readonly connection?: HttpFailure;
  readonly facts?: Partial<FailureFacts>;
  readonly expect: Readonly<Record<string, unknown>> & { readonly kind: string; readonly may: string };
}

const folder = fileURLToPath(new URL("../../../test/fixtures/failures/", import.meta.url));
const newYear = Date.UTC(2026, 0, 1);

const files = readdirSync(folder)
  .filter((name) => name.endsWith(".json"))
  .map((name) => JSON.parse(readFileSync(`${folder}${name}`, "utf8")) as { provider: string; cases: FailureCase[] });

function faultOf(input: FailureCase): AttemptFault {
  if (input.stream !== undefined)
    return { kind: "stream", fault: { type: "stream-fault", ...input.stream }, textShown: input.textShown ?? false };
  if (input.connection !== undefined) return { kind: "connection", failure: input.connection };
  const body = typeof input.body === "string" ? input.body : JSON.stringify(input.body);
  return { kind: "http", status: input.status ?? 0, headers: input.headers ?? {}, body };
}

describe.each(files)("failures as $provider writes them [10:ERR-1] [20:R5.4]", ({ provider, cases }) => {
  it.each(cases.map((one) => [one.name, one] as const))("%s", (_name, input) => {
    const facts = {
      provider,
      model: "m",
      tokens: 2_000,
      window: 200_000,
      messageCount: 6,
      nowMs: newYear,
      ...input.facts,
    };
    const failure = classify(faultOf(input), facts);
    const may = [
      failure.isRetryable && "retry",
      failure.mayCompress && "compress",
      failure.mayRotate && "rotate",
      failure.mayFallBack && "fallback",
    ].filter((flag) => flag !== false);
    expect({ ...failure, may: may.join(" ") }).toMatchObject(input.expect);
    expect(failure.message.length).toBeLessThanOrEqual(500);
    expect(failure.isPartial).toBe(input.textShown ?? false);
  });
});

describe("the collection of failures", () => {
  it("covers at least 120 and every kind a provider can cause [10:ERR-1]", () => {
    const cases = files.flatMap((file) => file.cases);
    expect(cases.length).toBeGreaterThanOrEqual(120);
    expect([...new Set(cases.map((one) => one.expect.kind))].sort()).toEqual([
      "auth",
      "billing",
      "content_filtered",
      "context_overflow",
      "format_error",
      "invalid_response",
      "long_context_tier",
      "media_too_large",
      "model_not_found",
      "output_cap_too_large",
      "overloaded",
      "payload_too_large",
      "provider_policy_blocked",
      "rate_limit",
      "server_error",
      "thinking_signature",
      "timeout",
      "unknown",
      "unsupported_parameter",
    ]);
  });
});
