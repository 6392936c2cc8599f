import { describe, expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { Secret } from "#foundation/secrets/secret";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { classify } from "../failures/classify.ts";
import type { ModelFailure } from "../failures/failure.ts";
import type { Resolution, TargetRequest } from "../resolve/context.ts";
import type { Target } from "../target.ts";
import { parseFallbackChain, requestFor } from "./chain.ts";
import { startTarget } from "./start-target.ts";
import { beginTurn, type FallbackState, hasFallbackLeft, openFallback } from "./state.ts";
import { type SwitchDeps, switchTarget } from "./switch-target.ts";
import { fallbackTiming } from "./timing.ts";

const now = Date.UTC(2026, 0, 1);

function failed(status: number, headers: Record<string, string> = {}, body = ""): ModelFailure {
  const facts = { provider: "p", model: "main", tokens: 1, window: 1_000, messageCount: 1, nowMs: now };
  return classify({ kind: "http", status, headers, body }, facts);
}

function target(provider: string, model: string): Target {
  return { provider, providerLabel: provider.toUpperCase(), model, baseUrl: `https://${provider}.test` } as Target;
}

const entries = [
  { provider: "a", model: "one" },
  { provider: "b", model: "two" },
];

/** Knows every provider except those listed. */
function deps(
  unusable: readonly string[] = [],
): SwitchDeps & { requested: TargetRequest[]; logger: ReturnType<typeof memoryLogger> } {
  const requested: TargetRequest[] = [];
  return {
    requested,
    logger: memoryLogger(),
    nowMs: now,
    resolve: async (wanted) => {
      requested.push(wanted);
      const provider = wanted.provider ?? "";
      return unusable.includes(provider)
        ? { kind: "failure", message: `no key for ${provider}` }
        : { kind: "target", target: target(provider, wanted.model ?? "") };
    },
  };
}

describe("the chain in the configuration", () => {
  it("takes the list over the single model [20:R5.1]", () => {
    const chain = parseFallbackChain({ fallback_model: { provider: "z", model: "z" }, fallback_providers: entries });
    expect(chain).toEqual({ entries, warnings: [] });
    expect(
      parseFallbackChain({ fallback_model: { provider: "z", model: "y" }, fallback_providers: [] }).entries,
    ).toEqual([{ provider: "z", model: "y" }]);
    expect(parseFallbackChain({})).toEqual({ entries: [], warnings: [] });
  });

  it("[20:A5.3] a single model without both parts is off, with a warning [20:R5.1]", () => {
    const chain = parseFallbackChain({ fallback_model: { provider: "openrouter" } });
    expect(chain).toEqual({ entries: [], warnings: ["fallback_model is not used: model missing."] });
    expect(parseFallbackChain({ fallback_model: { provider: "", model: " " } })).toEqual({ entries: [], warnings: [] });
  });

  it("leaves out unusable entries of a list and keeps the others [20:R5.1]", () => {
    const chain = parseFallbackChain({ fallback_providers: [{ model: "x" }, "text", entries[0]] });
    expect(chain.entries).toEqual([entries[0]]);
    expect(chain.warnings).toEqual([
      "fallback_providers[0] is not used: provider missing.",
      "fallback_providers[1] is not used: it is not a group of keys.",
    ]);
  });

  it("keeps address, key, variable and wire of an entry [20:R5.1]", () => {
    const written = {
      provider: "custom",
      model: "m",
      base_url: "http://h/v1",
      api_key: "k-123456",
      key_env: "K",
      api_mode: "anthropic_messages",
    };
    const [entry] = parseFallbackChain({ fallback_providers: [written] }).entries;
    if (entry === undefined) throw new Error("no entry");
    expect(entry).toMatchObject({ baseUrl: "http://h/v1", keyEnv: "K", protocol: "anthropic_messages" });
    expect(entry.apiKey?.equals(new Secret("k-123456"))).toBe(true);
    expect(requestFor(entry, "fallback 1")).toMatchObject({ provider: "custom", source: "fallback 1" });
  });
});

describe("switching", () => {
  const start = (chain = entries): FallbackState => openFallback(chain);
  const main = target("p", "main");

  it("[20:A5.1] [20:A5.5] takes the entries in order, each once per turn, and never goes back within it [10:ERR-8] [20:R5.9] [20:R5.12]", async () => {
    const first = await switchTarget({ state: start(), target: main, failure: failed(500) }, deps(), never);
    if (first.kind !== "switched") throw new Error("not switched");
    expect(first.target.model).toBe("one");
    expect(first.notice).toContain("main at P failed (server error); now using one via A.");
    expect(first.event).toEqual({
      from: { provider: "p", model: "main" },
      to: { provider: "a", model: "one" },
      reason: "server_error",
      status: 500,
      atMs: now,
    });
    const second = await switchTarget(
      { state: first.state, target: first.target, failure: failed(500) },
      deps(),
      never,
    );
    if (second.kind !== "switched") throw new Error("not switched");
    expect(second.target.model).toBe("two");
    const third = await switchTarget(
      { state: second.state, target: second.target, failure: failed(500) },
      deps(),
      never,
    );
    expect(third.kind).toBe("exhausted");
  });

  it("[20:A5.4] passes over an entry without a key, with a log line [20:R5.10]", async () => {
    const known = deps(["a"]);
    const outcome = await switchTarget({ state: start(), target: main, failure: failed(403) }, known, never);
    expect(outcome).toMatchObject({ kind: "switched", target: { provider: "b" } });
    expect(JSON.stringify(known.logger.lines)).toContain("no key for a");
  });

  it("says so at once when there is nothing to switch to [20:R5.9]", async () => {
    expect(hasFallbackLeft(start([]))).toBe(false);
    const outcome = await switchTarget({ state: start([]), target: main, failure: failed(500) }, deps(), never);
    expect(outcome.kind).toBe("exhausted");
  });

  it("[20:A5.9] after a policy block nothing at the same provider is tried [20:R5.4]", async () => {
    const chain = [{ provider: "p", model: "other" }, ...entries];
    const failure = failed(404, {}, "No endpoints found matching your data policy");
    const outcome = await switchTarget({ state: start(chain), target: main, failure }, deps(), never);
    expect(outcome).toMatchObject({ kind: "switched", target: { provider: "a" } });
  });

  it("never switches to the model that just failed", async () => {
    const chain = [{ provider: "p", model: "main" }];
    const outcome = await switchTarget({ state: start(chain), target: main, failure: failed(500) }, deps(), never);
    expect(outcome.kind).toBe("exhausted");
  });

  it("[20:A5.6] the next message begins with the primary and the whole chain [10:ERR-9] [20:R5.13]", async () => {
    const outcome = await switchTarget({ state: start(), target: main, failure: failed(500) }, deps(), never);
    expect(beginTurn(outcome.state, now + 1)).toEqual({ chain: entries, next: 0 });
  });

  it("a primary left for a limit rests for a minute, or until its reset, at most 15 minutes [10:ERR-9] [20:R5.13]", async () => {
    const restsUntil = async (failure: ModelFailure) =>
      (await switchTarget({ state: start(), target: main, failure }, deps(), never)).state.rest?.untilMs;
    expect(await restsUntil(failed(429))).toBe(now + 60_000);
    expect(await restsUntil(failed(429, { "retry-after": "300" }))).toBe(now + 300_000);
    expect(await restsUntil(failed(402, { "retry-after": "86400" }))).toBe(now + 900_000);
    expect(await restsUntil(failed(503))).toBeUndefined();

    const { state } = await switchTarget({ state: start(), target: main, failure: failed(429) }, deps(), never);
    expect(beginTurn(state, now + 59_999)).toMatchObject({ active: 0, next: 1 });
    expect(beginTurn(state, now + 60_000)).toEqual({ chain: entries, next: 0 });
  });
});

describe("when to switch", () => {
  const facts = { hasFallbackLeft: true, canRotate: false, onRateLimit: "eager", attempt: 1 } as const;

  it("[10:A11.10] a limit with a single credential switches without waiting [20:R5.8]", () => {
    expect(fallbackTiming(failed(429), facts)).toEqual({ kind: "now" });
    expect(fallbackTiming(failed(402), facts)).toEqual({ kind: "now" });
    expect(fallbackTiming(failed(429), { ...facts, canRotate: true })).toEqual({ kind: "after-retries" });
    expect(fallbackTiming(failed(429), { ...facts, onRateLimit: "after_retries" })).toEqual({ kind: "after-retries" });
  });

  it("[20:A5.7] waits out two seconds once before switching [20:R5.8]", () => {
    const short = failed(429, { "retry-after": "2" });
    expect(fallbackTiming(short, facts)).toEqual({ kind: "wait-first", waitMs: 2_000 });
    expect(fallbackTiming(short, { ...facts, attempt: 2 })).toEqual({ kind: "now" });
    expect(fallbackTiming(failed(429, { "retry-after": "6" }), facts)).toEqual({ kind: "now" });
  });

  it("client errors switch at once, passing troubles after the retries [20:R5.5]", () => {
    expect([401, 403, 404].map((status) => fallbackTiming(failed(status), facts).kind)).toEqual(["now", "now", "now"]);
    expect([500, 502, 503].map((status) => fallbackTiming(failed(status), facts).kind)).toEqual(
      Array(3).fill("after-retries"),
    );
    expect(fallbackTiming(failed(400, {}, "prompt is too long"), facts).kind).toBe("never");
    expect(fallbackTiming(failed(401), { ...facts, hasFallbackLeft: false }).kind).toBe("never");
  });
});

describe("the model a session starts with [20:R5.14]", () => {
  const known: Readonly<Record<string, string>> = {
    main: "missing_api_key",
    a: "missing_api_key",
    typo: "invalid_provider",
  };
  const start = (provider: string, chain = entries) => {
    const logger = memoryLogger();
    const resolve = async (wanted: TargetRequest): Promise<Resolution> => {
      const code = known[wanted.provider ?? ""];
      return code === undefined
        ? {
            kind: "target",
            target: target(wanted.provider ?? "", wanted.model ?? ""),
            notices: [],
            requestedProvider: "",
            explanation: [],
          }
        : { kind: "failure", code, message: `No key for ${wanted.provider}.`, hint: "Run: add", explanation: [] };
    };
    return startTarget({ provider }, { resolve, chain, logger }, never);
  };

  it("is the first entry of the chain with a key, when the primary has none, and that is said", async () => {
    expect(await start("main")).toMatchObject({
      resolution: { kind: "target", target: { provider: "b", model: "two" } },
      chain: [],
      notice: "No key for main. Starting with two via B instead. Run: add",
    });
  });

  it("is the primary where it can be used, and the chain stays whole", async () => {
    expect(await start("ok")).toMatchObject({ resolution: { target: { provider: "ok" } }, chain: entries });
  });

  it("is none when nothing can be used, or when the provider is a mistake", async () => {
    expect(await start("main", entries.slice(0, 1))).toMatchObject({ resolution: { kind: "failure" } });
    expect(await start("typo")).toMatchObject({ resolution: { kind: "failure", code: "invalid_provider" } });
  });
});
