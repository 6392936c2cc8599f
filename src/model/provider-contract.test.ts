import { describe, expect, test } from "vitest";
import type { Message } from "#conversation";
import { silentLogger } from "#foundation/files/logger";
import { never } from "#foundation/lifecycle/abort";
import { FakeClock } from "#foundation/testing/fake-clock";
import { systemClock } from "#foundation/time/clock";
import {
  calls,
  type ModelServer,
  reply,
  says,
  serverError,
  startModelServer,
  thinks,
} from "../../test/fakes/model-server/index.ts";
import { createAuxiliary } from "./auxiliary/auxiliary.ts";
import { estimateCall } from "./budget/estimate.ts";
import { BudgetGate } from "./budget/gate.ts";
import { MemoryMoneyLedger } from "./budget/memory-ledger.ts";
import { ModelCatalog } from "./catalog/catalog.ts";
import { estimateRequest } from "./catalog/token-estimate.ts";
import { type ModelClientDeps, streamModel } from "./client.ts";
import { type Collected, Collector } from "./collect.ts";
import { classify } from "./failures/classify.ts";
import type { ModelFailure } from "./failures/failure.ts";
import { openFallback } from "./fallback/state.ts";
import { switchTarget } from "./fallback/switch-target.ts";
import type { ProviderProfile } from "./providers/provider.ts";
import { builtinProviders } from "./providers/records/builtin.ts";
import type { ModelRequest } from "./request.ts";
import type { TargetRequest } from "./resolve/context.ts";
import { worldFor } from "./resolve/testing/provider-world.ts";
import { resolved, type World } from "./resolve/testing/world.ts";
import type { Target } from "./target.ts";
import { readFileTool, testCredential, testRequest, testTarget } from "./testing/target.ts";
import { type Connections, openConnections } from "./transport/connections.ts";

/** What the fake server does not speak; each of these has tests beside its own code. */
const spokenElsewhere: Readonly<Record<string, string>> = {
  gemini: "speaks Gemini's own wire; see protocols/gemini",
  "google-gemini-cli": "speaks Gemini's own wire inside Code Assist; see protocols/gemini",
  bedrock: "speaks the Converse wire in AWS frames; see protocols/bedrock-converse",
  local: "is a process of this machine; see test/local-model",
  "copilot-acp": "is a program and no server; see transport/acp",
};

const spoken = builtinProviders.filter((one) => spokenElsewhere[one.id] === undefined);

describe("providers without a wire the fake server speaks", () => {
  test("[20:R2.17] every other record is in the table", () => {
    expect(spoken.length + Object.keys(spokenElsewhere).length).toBe(builtinProviders.length);
  });
});

describe.each(spoken.map((one) => [one.id, one] as const))("[20:R2.17] %s on the wire", (_id, profile) => {
  test("streams an answer under its own model name, credential and headers", async () => {
    await using stage = await openStage(profile);
    stage.server.script(reply([says("Hel"), says("lo.")]));
    const { collected, failure } = await stage.ask(stage.target);
    expect(failure).toBeUndefined();
    expect(collected.message.content).toMatch(/^Hel\s*lo\.$/);
    expect(collected.finish).toBe("stop");
    const seen = await stage.server.received(1);
    expect([seen.model, seen.stream]).toEqual([stage.target.model, true]);
    if (profile.authKind !== "none")
      expect(seen.headers["authorization"] ?? seen.headers["x-api-key"] ?? seen.headers["api-key"]).toBeTruthy();
    for (const [name, value] of Object.entries(stage.target.headers))
      expect(seen.headers[name.toLowerCase()]).toContain(value);
    stage.server.assertClean();
  });

  test("a call goes out, its result goes back, and the answer follows", async () => {
    await using stage = await openStage(profile);
    stage.server.script(reply([says("Looking."), calls("read_file", { path: "a.txt" })]), says("It says hi."));
    const messages = await roundTrip(stage, stage.target);
    const { collected, failure } = await stage.ask(stage.target, messages);
    expect(failure).toBeUndefined();
    expect(collected.message.content).toBe("It says hi.");
    const second = await stage.server.received(2);
    expect(JSON.stringify(second.messages)).toContain("contents of a.txt");
    expect(second.toolNames).toEqual(["read_file"]);
    stage.server.assertClean();
  });

  test("counts tokens by kind, cached ones apart", async () => {
    await using stage = await openStage(profile);
    stage.server.script(
      reply([says("ok")], { usage: { input: 11, cacheRead: 70, cacheWrite: 0, output: 9, reasoning: 4 } }),
    );
    const { collected } = await stage.ask(stage.target);
    expect(collected.usage).toMatchObject({ input: 11, cacheRead: 70, output: 9 });
  });

  test("takes over a conversation, and hands it on when it fails itself", async () => {
    await using stage = await openStage(profile);
    await using other = await startModelServer({ strict: true });
    const outside = testTarget({ provider: "outside", baseUrl: other.chatBaseUrl, isLocal: true });
    other.script(reply([thinks("Hm."), calls("read_file", { path: "a.txt" })]), serverError(), says("Back outside."));
    stage.server.script(reply([says("Here now."), calls("read_file", { path: "b.txt" })]), serverError());

    const begun = await roundTrip(stage, outside);
    const inward = await switched(stage, { from: outside, messages: begun, to: stage.wanted });
    expect([inward.provider, inward.source]).toEqual([stage.target.provider, "fallback 1"]);
    const inside = await roundTrip(stage, inward, begun);
    const outward = await switched(stage, { from: inward, messages: inside, to: outside });
    const { collected, failure } = await stage.ask(outward, inside);
    expect(failure).toBeUndefined();
    expect(collected.message.content).toBe("Back outside.");
    stage.server.assertClean();
    other.assertClean();
  });

  test("answers side calls, with its cheap model where one is preferred", async () => {
    await using stage = await openStage(profile);
    stage.server.script(says("a title"));
    const side = auxiliaryAt(stage);
    const outcome = await side.run("title_generation", { messages: [{ role: "user", content: "hi" }] }, never);
    expect(outcome).toMatchObject({ kind: "done", text: "a title", target: { provider: stage.target.provider } });
    expect((await stage.server.received(1)).model).toBe(side.planned("title_generation")?.model);
    stage.server.assertClean();
  });
});

interface Stage extends AsyncDisposable {
  readonly profile: ProviderProfile;
  readonly server: ModelServer;
  readonly target: Target;
  readonly wanted: { readonly provider: string; readonly model: string; readonly baseUrl?: string };
  ask(
    target: Target,
    messages?: readonly Message[],
  ): Promise<{ readonly collected: Collected; readonly failure: ModelFailure | undefined }>;
  stream(request: ModelRequest, signal: AbortSignal): ReturnType<typeof streamModel>;
  resolve(wanted: TargetRequest): Promise<{ readonly kind: "target"; readonly target: Target }>;
}

/** The provider as it resolves in a world of its own, with a strict server in the place of its host. */
async function openStage(profile: ProviderProfile): Promise<Stage> {
  const world: World = await worldFor(profile);
  const server = await startModelServer({
    strict: {
      extraFields: extraFields[profile.id] ?? [],
      extraMessageFields: ["reasoning_content"],
      // A rule of Claude alone; others who speak its wire take a call that began without thinking.
      except: profile.id === "anthropic" ? [] : ["anthropic/thinking-first"],
    },
  });
  const connections = reroute(openConnections({ proxy: false }), server);
  const deps: ModelClientDeps = { connections, classify, clock: systemClock, logger: silentLogger };
  const model = profile.curatedModels[0] ?? "some-model";
  const own = profile.id === "custom" ? { baseUrl: server.chatBaseUrl } : {};
  const wanted = { provider: profile.id, model, ...own };
  const resolve: Stage["resolve"] = async (asked) => ({
    kind: "target",
    target: withoutExchange((await resolved({ ...own, ...asked }, world.context)).target),
  });
  return {
    profile,
    server,
    target: (await resolve(wanted)).target,
    wanted,
    resolve,
    stream: (request, signal) => streamModel(request, deps, signal),
    async ask(target, messages = [{ role: "user", content: "Read a.txt." }]) {
      const request = testRequest({ target, messages, system: "Be brief.", tools: [readFileTool] });
      const collector = new Collector();
      let failure: ModelFailure | undefined;
      for await (const event of streamModel(request, deps, never)) {
        if (event.type === "attempt-failed") failure = event.failure;
        else if (event.type !== "rate-limits") collector.add(event);
      }
      return { collected: collector.result(), failure };
    },
    async [Symbol.asyncDispose]() {
      await connections[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
      world[Symbol.dispose]();
    },
  };
}

/** Fields that single providers take and OpenAI's own endpoint does not know. */
const extraFields: Readonly<Record<string, readonly string[]>> = {
  openrouter: ["reasoning"],
  "ai-gateway": ["reasoning"],
  nous: ["reasoning", "tags"],
  "kimi-coding": ["thinking"],
  "kimi-coding-cn": ["thinking"],
  "qwen-oauth": ["vl_high_resolution_images", "metadata"],
};

/** Copilot trades its token over the network before the first request; its login has tests of its own. */
function withoutExchange(target: Target): Target {
  return target.provider === "copilot" ? { ...target, credential: testCredential() } : target;
}

/**
 * The way out of the machine leads to the server, whatever the address; nothing else knows. What was
 * meant for a loopback address goes there.
 */
function reroute(connections: Connections, server: ModelServer): Connections {
  return {
    pacing: connections.pacing,
    memo: connections.memo,
    post: (post) => {
      if (post.url.hostname === "127.0.0.1") return connections.post(post);
      return connections.post({ ...post, url: new URL(post.url.pathname + post.url.search, server.chatBaseUrl) });
    },
    fresh: () => connections.fresh(),
    [Symbol.asyncDispose]: () => connections[Symbol.asyncDispose](),
  };
}

async function roundTrip(
  stage: Stage,
  target: Target,
  before: readonly Message[] = [{ role: "user", content: "Read a.txt." }],
): Promise<readonly Message[]> {
  const { collected, failure } = await stage.ask(target, before);
  expect(failure).toBeUndefined();
  expect(collected.finish).toBe("tool_calls");
  const [call] = collected.message.tool_calls ?? [];
  if (call === undefined) throw new Error("no call");
  expect(call.function.name).toBe("read_file");
  const result: Message = {
    role: "tool",
    content: "contents of a.txt",
    tool_call_id: call.id,
    tool_name: "read_file",
  };
  return [...before, collected.message, result];
}

/** The target after a failed attempt, by way of the fallback chain. */
async function switched(
  stage: Stage,
  at: { readonly from: Target; readonly messages: readonly Message[]; readonly to: Target | Stage["wanted"] },
): Promise<Target> {
  const { failure } = await stage.ask(at.from, at.messages);
  if (failure === undefined) throw new Error("nothing failed");
  expect(failure).toMatchObject({ kind: "server_error", mayFallBack: true, provider: at.from.provider });
  const { to } = at;
  const outcome = await switchTarget(
    { state: openFallback([{ provider: to.provider, model: to.model }]), target: at.from, failure },
    {
      resolve: async (wanted) => ("credential" in to ? { kind: "target", target: to } : await stage.resolve(wanted)),
      logger: silentLogger,
      nowMs: Date.UTC(2026, 0, 1),
    },
    never,
  );
  if (outcome.kind !== "switched") throw new Error("not switched");
  return outcome.target;
}

function auxiliaryAt(stage: Stage): ReturnType<typeof createAuxiliary> {
  const catalog = new ModelCatalog();
  const limits = { mode: "soft", unknownPrice: "allow" } as const;
  const clock = new FakeClock(undefined, { autoAdvance: true });
  const question = (target: Target) => ({ provider: target.provider, model: target.model, baseUrl: target.baseUrl });
  return createAuxiliary({
    settings: () => ({ prefer: "cheap" }),
    auto: () => ({ main: stage.target, prefer: "cheap", profiles: builtinProviders, canSee: () => false }),
    resolve: (wanted) => stage.resolve(wanted),
    stream: (request, signal) => stage.stream(request, signal),
    estimate: (request) => {
      const promptTokens = estimateRequest(request);
      return {
        ...estimateCall({ promptTokens, quote: catalog.prices(question(request.target)) }),
        promptTokens,
      };
    },
    cost: (target, usage, reported) => catalog.cost(question(target), usage, reported),
    gate: new BudgetGate({ limits: () => limits, ledger: new MemoryMoneyLedger(clock), clock, logger: silentLogger }),
    spender: { sessionId: "s" },
    clock,
    warn: () => undefined,
    logger: silentLogger,
  });
}
