import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { readAccount } from "./account.ts";
import { ProviderRegistry } from "./providers/registry.ts";
import type { Target } from "./target.ts";

const now = Date.UTC(2026, 0, 1);
let server: Server;
let seen: { path: string; authorization: string | undefined }[] = [];
let answer: { status: number; body: unknown } = { status: 200, body: {} };

beforeEach(async () => {
  seen = [];
  server = createServer((request, response) => {
    seen.push({ path: request.url ?? "", authorization: request.headers.authorization });
    response.writeHead(answer.status).end(JSON.stringify(answer.body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

function ask(provider: string, path: string) {
  const { port } = server.address() as AddressInfo;
  const credential = { authorize: async () => ({ authorization: "Bearer k" }) };
  const target = { provider, baseUrl: `http://127.0.0.1:${port}${path}`, headers: {}, credential } as unknown as Target;
  return readAccount(target, new ProviderRegistry().find(provider)?.account, { signal: never, nowMs: now });
}

describe("what a provider says about the account", () => {
  it.each([
    [
      "openrouter",
      "/api/v1",
      "/api/v1/credits",
      { data: { total_credits: 20, total_usage: 7.5 } },
      [{ kind: "balance", label: "credits left", amount: 12.5, currency: "USD" }],
    ],
    [
      "deepseek",
      "/v1",
      "/user/balance",
      { is_available: true, balance_infos: [{ currency: "CNY", total_balance: "110.00" }] },
      [{ kind: "balance", label: "balance", amount: 110, currency: "CNY" }],
    ],
    [
      "kimi-coding",
      "/v1",
      "/v1/users/me/balance",
      { data: { available_balance: 49.58 } },
      [{ kind: "balance", label: "balance", amount: 49.58, currency: "USD" }],
    ],
    [
      "openai-codex",
      "/backend-api/codex",
      "/backend-api/wham/usage",
      { rate_limit: { primary_window: { used_percent: 25, limit_window_seconds: 18_000, reset_after_seconds: 60 } } },
      [{ kind: "quota", label: "5 hours", usedPercent: 25, resetsAtMs: now + 60_000 }],
    ],
    [
      "anthropic",
      "",
      "/api/oauth/usage",
      {
        five_hour: { utilization: 12, resets_at: "2026-01-01T01:00:00Z" },
        seven_day: { utilization: 40, resets_at: null },
      },
      [
        { kind: "quota", label: "5 hours", usedPercent: 12, resetsAtMs: now + 3_600_000 },
        { kind: "quota", label: "7 days", usedPercent: 40 },
      ],
    ],
  ])("%s [20:R6.14]", async (provider, base, path, body, lines) => {
    answer = { status: 200, body };
    expect(await ask(provider, base)).toEqual({ kind: "account", lines });
    expect(seen).toEqual([{ path, authorization: "Bearer k" }]);
  });

  it("is left out where a provider does not tell, without a request [20:R6.14]", async () => {
    expect(await ask("zai", "/v1")).toEqual({ kind: "unsupported" });
    expect(seen).toEqual([]);
    answer = { status: 403, body: {} };
    expect(await ask("anthropic", "")).toEqual({ kind: "unsupported" });
    answer = { status: 200, body: { nothing: true } };
    expect(await ask("openrouter", "/v1")).toEqual({ kind: "unsupported" });
    answer = { status: 500, body: {} };
    expect(await ask("openrouter", "/v1")).toEqual({ kind: "failure", message: "HTTP 500" });
  });
});
