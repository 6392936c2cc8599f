import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { zeroUsage } from "#conversation";
import { ModelCatalog, type ModelQuestion } from "./catalog.ts";
import { costOfCall, fromNanoUsd, priceUsage } from "./cost.ts";
import shipped from "./snapshot.json" with { type: "json" };
import { snapshotFacts } from "./snapshot.ts";
import { estimateRequest } from "./token-estimate.ts";

const usage = { ...zeroUsage, input: 1_000, output: 500, cacheRead: 2_000 };
const quoted = { billingMode: "official_docs_snapshot", source: "official_docs_snapshot", isIncluded: false } as const;

function asks(provider: string, model: string, extra: Partial<ModelQuestion> = {}): ModelQuestion {
  return { provider, model, baseUrl: "https://api.test/v1", ...extra };
}

describe("the cost of a call", () => {
  it("[20:A6.5] adds every kind of token, as an estimate [20:R6.11]", () => {
    const { cost } = costOfCall(usage, { ...quoted, prices: { input: 3, output: 15, cacheRead: 0.3 } });
    expect(cost).toMatchObject({ status: "estimated", source: "official_docs_snapshot", usd: 0.0111 });
  });

  it("[20:A6.6] is unknown when a used kind has no price, never a partial sum [20:R6.11] [10:LOOP-58]", () => {
    const call = costOfCall(usage, { ...quoted, prices: { input: 3, output: 15 } });
    expect(call.cost).toMatchObject({ status: "unknown", source: "none" });
    expect([call.estimatedUsd, call.cost.status]).toEqual([undefined, "unknown"]);
    expect(priceUsage(usage, { input: 3 })).toEqual({ kind: "unpriced", missing: ["output", "cacheRead"] });
  });

  it("[20:A6.7] is included for subscriptions and own servers [20:R6.10]", () => {
    const catalog = new ModelCatalog();
    const codex = catalog.cost(asks("openai-codex", "gpt-5.5", { isSubscription: true }), usage);
    expect(codex).toMatchObject({ billingMode: "subscription_included", cost: { status: "included", usd: 0 } });
    expect(codex.cost.status).toBe("included");
    expect(catalog.cost(asks("custom", "qwen", { isLocal: true }), usage).cost.status).toBe("included");
  });

  it("[20:A6.8] is what the provider charged, with the estimate beside it [20:R6.12]", () => {
    const call = costOfCall(usage, { ...quoted, prices: { input: 3, output: 15, cacheRead: 0.3 } }, 0.0123);
    expect(call).toMatchObject({ actualUsd: 0.0123, estimatedUsd: 0.0111, source: "provider_cost_api" });
    expect(call.cost.status).toBe("actual");
  });

  it("takes the user's own price first [20:R6.10]", () => {
    const catalog = new ModelCatalog({
      priceOverrides: { openai: { "gpt-4o": { input: 1, output: 1, cacheRead: 1 } } },
    });
    const call = catalog.cost(asks("openai", "gpt-4o"), usage);
    expect(call).toMatchObject({ source: "user_override", estimatedUsd: 0.0035 });
    expect(catalog.prices(asks("openai", "toString")).source).toBe("none");
  });

  it("uses the prices for long prompts once the prompt is long", () => {
    const prices = { input: 2, output: 12, longContext: { aboveTokens: 200_000, input: 4, output: 18 } };
    expect(priceUsage({ ...zeroUsage, input: 200_000, output: 1_000 }, prices)).toMatchObject({ nanoUsd: 412_000_000 });
    expect(priceUsage({ ...zeroUsage, input: 200_001, output: 1_000 }, prices)).toMatchObject({ nanoUsd: 818_004_000 });
  });

  it("adds the price per request [20:R6.11]", () => {
    expect(priceUsage(zeroUsage, { request: 0.005 })).toEqual({ kind: "priced", nanoUsd: 5_000_000 });
  });

  it("never drifts: many small calls cost what one large call costs [20:R6.12]", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), fc.constantFrom(0.028, 0.15, 1.25, 75), (calls, price) => {
        const one = priceUsage({ ...zeroUsage, input: 1_000 }, { input: price });
        const all = priceUsage({ ...zeroUsage, input: 1_000 * calls }, { input: price });
        if (one.kind !== "priced" || all.kind !== "priced") throw new Error("unpriced");
        expect(one.nanoUsd * calls).toBe(all.nanoUsd);
        expect(fromNanoUsd(all.nanoUsd)).toBeGreaterThan(0);
      }),
    );
  });
});

describe("the shipped table", () => {
  it.each([
    ["anthropic", "claude-opus-4-20250514", [15, 75, 1.5, 18.75]],
    ["anthropic", "claude-sonnet-4", [3, 15, 0.3, 3.75]],
    ["anthropic", "claude-3-5-haiku-20241022", [0.8, 4, 0.08, 1]],
    ["openai", "gpt-4o", [2.5, 10, 1.25, undefined]],
    ["openai", "gpt-4.1", [2, 8, 0.5, undefined]],
    ["openai", "gpt-4.1-mini", [0.4, 1.6, 0.1, undefined]],
    ["openai", "o3", [10, 40, 2.5, undefined]],
    ["openai", "o3-mini", [1.1, 4.4, 0.55, undefined]],
    ["deepseek", "deepseek-chat", [0.14, 0.28, undefined, undefined]],
    ["deepseek", "deepseek-reasoner", [0.55, 2.19, undefined, undefined]],
    ["gemini", "gemini-2.5-pro", [1.25, 10, undefined, undefined]],
    ["gemini", "gemini-2.5-flash", [0.15, 0.6, undefined, undefined]],
    ["bedrock", "amazon.nova-pro-v1:0", [0.8, 3.2, undefined, undefined]],
  ])("%s %s costs %j [20:R6.13]", (provider, model, [input, output, cacheRead, cacheWrite]) => {
    const prices = snapshotFacts(provider, model)?.prices;
    expect([prices?.input, prices?.output, prices?.cacheRead, prices?.cacheWrite]).toEqual([
      input,
      output,
      cacheRead,
      cacheWrite,
    ]);
  });

  it("knows a window elsewhere but never a price elsewhere", () => {
    const facts = snapshotFacts("some-gateway", "anthropic/claude-opus-4.7");
    expect(facts?.contextWindow).toBe(1_000_000);
    expect(facts?.prices).toBeUndefined();
    expect(snapshotFacts("some-gateway", "claude-opus-4-99")).toBeUndefined();
  });

  it("names its version beside every cost [20:R6.8]", () => {
    expect(new ModelCatalog().cost(asks("openai", "gpt-4o"), usage).pricingVersion).toMatch(/^\d{4}-\d{2}-\d{2}$/);
  });

  it("is well formed: no model twice, sizes and prices that can be [20:R0.6]", () => {
    for (const provider of ["anthropic", "openai", "gemini", "xai", "zai", "minimax", "bedrock", "alibaba"]) {
      const models = shipped.models.filter((row) => row.provider === provider).map((row) => row.model);
      expect(models.length).toBeGreaterThan(0);
      expect(new Set(models).size).toBe(models.length);
      for (const model of models) {
        const facts = snapshotFacts(provider, model);
        expect(facts?.contextWindow).toBeGreaterThanOrEqual(4_096);
        for (const price of Object.values(facts?.prices ?? {}))
          if (typeof price === "number") expect(price).toBeGreaterThanOrEqual(0);
      }
    }
  });
});

describe("the size of a request", () => {
  const image = { type: "image_url", image_url: { url: `data:image/png;base64,${"A".repeat(100_000)}` } } as const;

  it("counts text by four characters, images as one size, and schemas [20:R6.6]", () => {
    const request = { system: "x".repeat(41), messages: [], tools: [] };
    expect(estimateRequest(request)).toBe(11);
    const withImage = { ...request, messages: [{ role: "user", content: [image] } as const] };
    expect(estimateRequest(withImage)).toBe(11 + 10 + 1_600);
    const tool = { name: "t", description: "d", parameters: { type: "object" } } as never;
    expect(estimateRequest({ ...request, tools: [tool] })).toBeGreaterThan(11);
  });
});
