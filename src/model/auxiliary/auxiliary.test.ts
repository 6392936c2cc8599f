import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { silentLogger } from "#foundation/files/logger";
import { never } from "#foundation/lifecycle/abort";
import { Secret } from "#foundation/secrets/secret";
import { FakeClock } from "#foundation/testing/fake-clock";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { systemClock } from "#foundation/time/clock";
import {
  fails,
  hang,
  noCredit,
  type Reply,
  reply,
  says,
  serverError,
  startModelServer,
  thinks,
} from "../../../test/fakes/model-server/index.ts";
import { estimateCall } from "../budget/estimate.ts";
import { BudgetGate } from "../budget/gate.ts";
import type { BudgetLimits } from "../budget/limits.ts";
import { MemoryMoneyLedger } from "../budget/memory-ledger.ts";
import { ModelCatalog } from "../catalog/catalog.ts";
import { estimateRequest } from "../catalog/token-estimate.ts";
import { streamModel } from "../client.ts";
import { classify } from "../failures/classify.ts";
import { type ProviderProfile, profile } from "../providers/provider.ts";
import type { TargetRequest } from "../resolve/context.ts";
import type { Target } from "../target.ts";
import { testCredential, testTarget } from "../testing/target.ts";
import { type Connections, openConnections } from "../transport/connections.ts";
import { type AuxiliaryDeps, createAuxiliary } from "./auxiliary.ts";
import { compressionThreshold } from "./compression-window.ts";
import { planTask } from "./plan.ts";
import { type AuxiliarySettings, auxiliaryTasks } from "./task.ts";

type Server = Awaited<ReturnType<typeof startModelServer>>;

const profiles: readonly ProviderProfile[] = [
  profile({
    id: "nous",
    label: "Nous",
    baseUrl: "https://n.test/v1",
    curatedModels: ["k"],
    auxModel: "gemini-flash",
    authKind: "oauth_device_code",
    isAggregator: true,
    sideCallRank: 2,
  }),
  profile({
    id: "openrouter",
    label: "OpenRouter",
    baseUrl: "https://or.test/v1",
    curatedModels: ["k"],
    auxModel: "gemini-flash",
    visionModel: "gemini-flash",
    isAggregator: true,
    sideCallRank: 1,
  }),
  profile({
    id: "openai-codex",
    label: "Codex",
    baseUrl: "https://c.test",
    curatedModels: ["gpt-5.5"],
    auxModel: "gpt-5.2-codex",
    authKind: "oauth_external",
    sideCallRank: 4,
  }),
  profile({
    id: "custom",
    label: "Custom",
    baseUrl: "",
    curatedModels: [],
    authKind: "none",
    sideCallRank: 3,
    isOwnEndpoint: true,
  }),
  profile({ id: "deepseek", label: "DeepSeek", baseUrl: "https://d.test/v1", curatedModels: ["deepseek-v4-pro"] }),
  profile({
    id: "zai",
    label: "Z.AI",
    baseUrl: "https://z.test/v1",
    curatedModels: ["glm-5.1"],
    auxModel: "glm-4.5-flash",
    keyEnv: ["GLM_API_KEY"],
  }),
  profile({
    id: "copilot",
    label: "Copilot",
    baseUrl: "https://g.test",
    curatedModels: ["gpt-5.4"],
    isNeverAutomatic: true,
  }),
];

let servers: Record<string, Server> = {};
let connections: Connections;

beforeEach(async () => {
  connections = openConnections({ proxy: false });
  servers = {};
  for (const name of ["deepseek", "openrouter", "openai-codex", "zai"]) servers[name] = await startModelServer();
});
afterEach(async () => {
  for (const server of Object.values(servers)) await server[Symbol.asyncDispose]();
  await connections[Symbol.asyncDispose]();
});

function serverOf(name: string): Server {
  const server = servers[name];
  if (server === undefined) throw new Error(`no server ${name}`);
  return server;
}

function targetAt(provider: string, model: string, extra: Partial<Target> = {}): Target {
  return testTarget({
    provider,
    providerLabel: provider,
    model,
    baseUrl: serverOf(provider).chatBaseUrl,
    isLocal: true,
    ...extra,
  });
}

interface Supplied {
  readonly settings?: AuxiliarySettings;
  readonly main?: () => Target | undefined;
  /** Providers with a credential; the others cannot be resolved. */
  readonly usable?: readonly string[];
  readonly limits?: BudgetLimits;
}

function side(input: Supplied = {}) {
  const requested: TargetRequest[] = [];
  const warnings: string[] = [];
  const logger = memoryLogger();
  const clock = new FakeClock(undefined, { autoAdvance: true });
  const ledger = new MemoryMoneyLedger(clock);
  const catalog = new ModelCatalog();
  const limits = input.limits ?? { mode: "soft", unknownPrice: "allow" };
  const main = input.main ?? (() => targetAt("deepseek", "deepseek-chat"));
  const question = (target: Target) => ({ provider: target.provider, model: target.model, baseUrl: target.baseUrl });
  const deps: AuxiliaryDeps = {
    settings: () => input.settings ?? {},
    auto: () => ({ main: main(), prefer: input.settings?.prefer ?? "main", profiles, canSee: () => true }),
    resolve: async (wanted) => {
      requested.push(wanted);
      const provider = wanted.provider ?? "";
      if (input.usable?.includes(provider) ?? servers[provider] !== undefined)
        return { kind: "target", target: targetAt(provider, wanted.model ?? "m") };
      const variable = profiles.find((one) => one.id === provider)?.keyEnv[0] ?? "KEY";
      return {
        kind: "failure",
        code: "missing_api_key",
        message: `There is no usable key for ${provider}.`,
        hint: `Set ${variable}.`,
      };
    },
    stream: (request, signal) =>
      streamModel(request, { connections, classify, clock: systemClock, logger: silentLogger }, signal),
    estimate: (request) => {
      const promptTokens = estimateRequest(request);
      const quote = catalog.prices(question(request.target));
      return { ...estimateCall({ promptTokens, quote }), promptTokens };
    },
    cost: (target, usage, reported) => catalog.cost(question(target), usage, reported),
    gate: new BudgetGate({ limits: () => limits, ledger, clock, logger }),
    spender: { sessionId: "s" },
    clock,
    warn: (message) => void warnings.push(message),
    logger,
  };
  return { ...createAuxiliary(deps), deps, requested, warnings, logger, clock, ledger };
}

const ask = { messages: [{ role: "user", content: "Summarise." } as const] };

describe("which model a side task uses", () => {
  it("[20:A4.3] the main model by default, with what it cost recorded per task [20:R4.7] [20:R4.14]", async () => {
    serverOf("deepseek").script(says("short"), says("again"));
    const { run, ledger, planned } = side();
    expect(planned("compression")).toEqual({
      provider: "deepseek",
      model: "deepseek-chat",
      source: "main model",
      isMain: true,
    });
    const outcome = await run("compression", { ...ask, system: "Be brief.", maxTokens: 300 }, never);
    expect(outcome).toMatchObject({ kind: "done", text: "short", target: { model: "deepseek-chat" } });
    expect((await serverOf("deepseek").received(1)).body).toMatchObject({ model: "deepseek-chat", max_tokens: 300 });
    await run("compression", ask, never);
    expect(await ledger.spent({ sessionId: "s" })).toMatchObject({ calls: 2 });
  });

  it.each(auxiliaryTasks)(
    "[20:R4.1] %s can have a provider and a model of its own, and no other task does",
    async (task) => {
      serverOf("zai").script(says("from its own"));
      const { run, planned } = side({ settings: { [task]: { provider: "zai", model: "glm-own" } } });
      expect(auxiliaryTasks.filter((one) => planned(one)?.model === "glm-own")).toEqual([task]);
      expect(await run(task, ask, never)).toMatchObject({ text: "from its own", target: { model: "glm-own" } });
    },
  );

  it("[20:A4.7] follows a change of the main model [20:R4.7]", async () => {
    let main = targetAt("deepseek", "deepseek-chat");
    const { planned } = side({ main: () => main });
    main = targetAt("zai", "glm-5.1");
    expect(planned("title_generation")).toMatchObject({ provider: "zai", model: "glm-5.1" });
  });

  it("the cheap model of the main provider where asked for [20:R4.8]", () => {
    const main = () => targetAt("zai", "glm-5.1");
    expect(side({ main, settings: { prefer: "cheap" } }).planned("mcp")).toMatchObject({ model: "glm-4.5-flash" });
    const own = () => targetAt("deepseek", "deepseek-chat");
    expect(side({ main: own, settings: { prefer: "cheap" } }).planned("mcp")).toMatchObject({ model: "deepseek-chat" });
  });

  it("the chain behind it has the order of the specification and never picks a shy provider [20:R4.7]", () => {
    const facts = { auto: { main: targetAt("deepseek", "x"), prefer: "main", profiles, canSee: () => false } } as const;
    const order = (task: "mcp" | "vision") =>
      planTask(task, {}, facts).candidates.map((one) =>
        one.kind === "open" ? one.target.provider : one.wanted.provider,
      );
    expect(order("mcp")).toEqual(["deepseek", "openrouter", "nous", "custom", "openai-codex", "zai"]);
    expect(order("vision")).toEqual(["openrouter", "nous"]);
  });

  it("vision prefers the vision model of the main provider [20:R4.7]", () => {
    const main = targetAt("openrouter", "kimi");
    const facts = { auto: { main, prefer: "main", profiles, canSee: () => true } } as const;
    const [first] = planTask("vision", {}, facts).candidates;
    expect(first).toMatchObject({ kind: "request", wanted: { provider: "openrouter", model: "gemini-flash" } });
    const blind = { ...main, provider: "deepseek", quirks: { supportsImages: false } };
    const [other] = planTask("vision", {}, { auto: { ...facts.auto, main: blind } }).candidates;
    expect(other).toMatchObject({ wanted: { provider: "openrouter" } });
  });

  it("[20:A4.1] `main` is the live endpoint itself, whatever it is [20:R4.2] [20:R4.4]", async () => {
    serverOf("deepseek").script(says("a cat"));
    const { run, requested } = side({
      main: () => targetAt("deepseek", "local", { provider: "custom" }),
      settings: { vision: { provider: "main" } },
    });
    expect(await run("vision", ask, never)).toMatchObject({ kind: "done", text: "a cat" });
    expect(requested).toEqual([]);
  });

  it("[20:A4.2] an own address is custom, with the task's own key and no other [20:R4.5] [20:R4.6]", () => {
    const settings = { web_extract: { provider: "openrouter", base_url: "http://localhost:1234/v1", model: "m" } };
    const facts = { auto: { main: undefined, prefer: "main", profiles, canSee: () => true } } as const;
    const plan = planTask("web_extract", settings, facts);
    expect(plan.candidates).toEqual([
      {
        kind: "request",
        wanted: {
          provider: "custom",
          baseUrl: "http://localhost:1234/v1",
          model: "m",
          source: "auxiliary.web_extract",
        },
        source: "auxiliary.web_extract",
      },
    ]);
    const keyed = planTask(
      "web_extract",
      { web_extract: { ...settings.web_extract, api_key: new Secret("k-1") } },
      facts,
    );
    expect(keyed.candidates[0]).toMatchObject({ wanted: { apiKey: new Secret("k-1") } });
  });

  it("[20:A4.6] a provider is passed on as it is called; arguments of the call win over everything [20:R4.4] [20:R4.5]", () => {
    const facts = { auto: { main: undefined, prefer: "main", profiles, canSee: () => true } } as const;
    expect(planTask("mcp", { mcp: { provider: "codex" } }, facts).candidates[0]).toMatchObject({
      wanted: { provider: "codex" },
    });
    const wanted = { baseUrl: "http://h/v1" };
    expect(planTask("mcp", { mcp: { provider: "codex" } }, { ...facts, wanted }).candidates[0]).toMatchObject({
      wanted: { provider: "custom", baseUrl: "http://h/v1" },
    });
  });

  it("the memory flush stays with the main model [20:R4.3]", () => {
    expect(
      planTask(
        "flush_memories",
        {},
        { auto: { main: targetAt("zai", "glm"), prefer: "cheap", profiles, canSee: () => true } },
      ),
    ).toMatchObject({ isAuto: false, candidates: [{ kind: "open", target: { model: "glm" } }] });
  });
});

describe("when a side call fails", () => {
  it("[20:A4.4] no credit on `auto` moves to the next provider [20:R4.9]", async () => {
    serverOf("deepseek").script(noCredit());
    serverOf("openrouter").script(noCredit());
    serverOf("openai-codex").script(says("from codex"));
    const { run, warnings } = side({ usable: ["openrouter", "openai-codex"] });
    expect(await run("compression", ask, never)).toMatchObject({ kind: "done", target: { provider: "openai-codex" } });
    expect(warnings).toEqual([]);
  });

  it("[20:A4.5] a chosen provider is a hard constraint; its lack of a key is named, once [20:R4.9] [20:R4.12]", async () => {
    const { run, warnings, requested } = side({ settings: { compression: { provider: "zai" } }, usable: [] });
    const outcome = await run("compression", ask, never);
    expect(outcome).toMatchObject({ kind: "failed", code: "missing_api_key", hint: "Set GLM_API_KEY." });
    await run("compression", ask, never);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain("GLM_API_KEY");
    expect(requested.every((wanted) => wanted.provider === "zai")).toBe(true);
  });

  it("a chosen provider without credit fails by name instead of moving on [20:R4.9]", async () => {
    serverOf("zai").script(noCredit());
    const { run } = side({ settings: { mcp: { provider: "zai", model: "glm-5.1" } } });
    const outcome = await run("mcp", ask, never);
    expect(outcome).toMatchObject({ kind: "failed", code: "insufficient_credits", failure: { kind: "billing" } });
    if (outcome.kind === "failed") expect(outcome.message).toMatch(/mcp with glm-5\.1 failed\. zai /);
    serverOf("zai").script(fails(401));
    expect(await run("mcp", ask, never)).toMatchObject({ hint: expect.stringContaining("GLM_API_KEY") });
  });

  it("[20:A4.8] three server errors lead to the fallback the task names [20:R4.10] [10:ERR-10]", async () => {
    serverOf("zai").script(serverError(), serverError(), serverError());
    serverOf("openrouter").script(says("seen"));
    const fallback = [{ provider: "openrouter", model: "google/gemini-3-flash-preview" }];
    const { run, clock } = side({ settings: { vision: { provider: "zai", model: "glm", fallback } } });
    const outcome = await run("vision", ask, never);
    expect(outcome).toMatchObject({
      kind: "done",
      target: { provider: "openrouter", model: "google/gemini-3-flash-preview" },
    });
    expect(clock.slept).toHaveLength(2);
  });

  it("leaves out a parameter the model refuses, and renames the output limit [20:R4.9]", async () => {
    serverOf("deepseek").script(
      fails(400, { message: "Unsupported value: 'temperature' does not support 0.1 with this model." }),
      fails(400, {
        message:
          "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      }),
      says("ok"),
    );
    const { run } = side();
    expect(await run("approval", { ...ask, temperature: 0.1, maxTokens: 50 }, never)).toMatchObject({ text: "ok" });
    const { body } = await serverOf("deepseek").received(3);
    expect(body).toMatchObject({ max_completion_tokens: 50 });
    expect(body).not.toHaveProperty("temperature");
    expect(body).not.toHaveProperty("max_tokens");
  });

  it("refreshes a refused credential once [20:R4.9]", async () => {
    const tokens = ["new-token-0123456789"];
    let current = "old-token-0123456789";
    const credential = {
      ...testCredential(),
      authorize: async () => ({ authorization: `Bearer ${current}` }),
      refresh: async () => {
        const next = tokens.shift();
        current = next ?? current;
        return next !== undefined;
      },
    };
    serverOf("zai").script(fails(401), says("ok"), fails(401), fails(401));
    const settings = { mcp: { provider: "main" } };
    const { run } = side({ settings, main: () => targetAt("zai", "glm", { credential }) });
    expect(await run("mcp", ask, never)).toMatchObject({ kind: "done" });
    expect((await serverOf("zai").received(2)).headers["authorization"]).toBe("Bearer new-token-0123456789");
    expect(await run("mcp", ask, never)).toMatchObject({ kind: "failed", failure: { kind: "auth" } });
  });

  it("takes the reasoning of a model that said nothing else; an empty answer is a failure with names [20:R4.11]", async () => {
    serverOf("zai").script(reply([thinks("only thoughts")]), ...Array.from({ length: 3 }, () => says("")));
    const { run } = side({ settings: { mcp: { provider: "zai", model: "glm" } } });
    expect(await run("mcp", ask, never)).toMatchObject({ kind: "done", text: "only thoughts" });
    const outcome = await run("mcp", ask, never);
    expect(outcome).toMatchObject({ kind: "failed", code: "invalid_response" });
    if (outcome.kind === "failed") expect(outcome.message).toMatch(/mcp with glm.*zai/);
  });

  it("does not send refused content or an oversized request elsewhere", async () => {
    const { run } = side({ usable: ["openrouter"] });
    const refusals: readonly Reply[] = [
      fails(400, { message: "Your request was rejected as a result of our safety system." }),
      fails(400, { message: "This model's maximum context length is 8192 tokens." }),
    ];
    for (const [index, refusal] of refusals.entries()) {
      serverOf("deepseek").script(refusal);
      expect(await run("mcp", ask, never)).toMatchObject({
        failure: { kind: index === 0 ? "content_filtered" : "context_overflow" },
      });
    }
  });

  it("each call has the time of its task; an interruption is thrown [20:R4.3]", async () => {
    serverOf("zai").otherwise(hang());
    const { run } = side({ settings: { mcp: { provider: "zai", timeout: 0.05 } } });
    expect(await run("mcp", ask, never)).toMatchObject({ kind: "failed", failure: { kind: "timeout" } });
    const controller = new AbortController();
    const slow = side({ settings: { mcp: { provider: "zai", timeout: 60 } } });
    const before = serverOf("zai").requests.length;
    const running = slow.run("mcp", ask, controller.signal);
    await serverOf("zai").received(before + 1);
    controller.abort(new Error("stop"));
    await expect(running).rejects.toThrow("stop");
  });

  it("says that nothing is set up, without a request [20:R4.7]", async () => {
    const { run } = side({ main: () => undefined, usable: [] });
    expect(await run("compression", ask, never)).toMatchObject({ kind: "failed", code: "no_provider_configured" });
  });
});

describe("money and crowds", () => {
  it("side calls pass the same gate as the conversation [20:A14.6]", async () => {
    const limits = { mode: "hard", unknownPrice: "allow", sessionUsd: 0.000_001 } as const;
    const { run } = side({ limits });
    expect(await run("mcp", ask, never)).toMatchObject({ kind: "failed", code: "budget_exceeded" });
  });

  it("an unknown price under a limit is told once and counted", async () => {
    serverOf("zai").script(says("one"), says("two"));
    const limits = { mode: "hard", unknownPrice: "allow", sessionUsd: 10 } as const;
    const { run, warnings, ledger } = side({ limits, settings: { mcp: { provider: "zai", model: "mystery" } } });
    await run("mcp", ask, never);
    await run("mcp", ask, never);
    expect(warnings).toEqual([expect.stringContaining("price")]);
    expect((await ledger.spent({ sessionId: "s" })).usd).toBeGreaterThan(0);
  });

  it("[20:A4.9] never more searches at once than allowed [20:R4.3]", async () => {
    const { deps } = side({ settings: { session_search: { max_concurrency: 2 } } });
    let running = 0;
    let most = 0;
    const stream = deps.stream;
    const watched = createAuxiliary({
      ...deps,
      async *stream(request, signal) {
        running += 1;
        most = Math.max(most, running);
        try {
          yield* stream(request, signal);
        } finally {
          running -= 1;
        }
      },
    });
    serverOf("deepseek").otherwise(says("found"));
    const outcomes = await Promise.all(Array.from({ length: 12 }, () => watched.run("session_search", ask, never)));
    expect(outcomes.every((outcome) => outcome.kind === "done")).toBe(true);
    expect(most).toBe(2);
  });

  it("waiting for a place can be given up without losing the place for others", async () => {
    const { Limiter } = await import("./limiter.ts");
    const limiter = new Limiter();
    let finish = (): void => undefined;
    const first = limiter.run(1, () => new Promise<void>((resolve) => (finish = resolve)), never);
    const controller = new AbortController();
    const second = limiter.run(1, async () => "second", controller.signal);
    const third = limiter.run(1, async () => "third", never);
    controller.abort(new Error("gave up"));
    await expect(second).rejects.toThrow("gave up");
    finish();
    await first;
    expect(await third).toBe("third");
  });
});

describe("a compression model with a small window", () => {
  it("lowers the threshold for the session and says so [20:R4.13]", () => {
    const input = { thresholdTokens: 170_000, compressionModel: "tiny", compressionWindow: 64_000 };
    const lowered = compressionThreshold(input);
    expect(lowered.thresholdTokens).toBe(56_000);
    expect(lowered.warning).toContain("tiny");
    expect(compressionThreshold({ ...input, compressionWindow: 200_000 })).toEqual({ thresholdTokens: 170_000 });
  });
});
