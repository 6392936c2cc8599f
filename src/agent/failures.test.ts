import { describe, expect, it } from "vitest";
import type { Message } from "#conversation";
import { FakeClock } from "#foundation/testing/fake-clock";
import type { ModelFailure, ModelRequest } from "#model";
import {
  badKey,
  contextOverflow,
  fails,
  hang,
  modelNotFound,
  overloaded,
  payloadTooLarge,
  policyBlocked,
  rateLimited,
  reply,
  says,
  serverError,
  thinks,
} from "../../test/fakes/model-server/index.ts";
import type { ContextKeeper } from "./context-keeper.ts";
import { harnesses, protocols } from "./testing/harnesses.ts";

const harness = harnesses();
const noJitter = { random: () => 0 };
const halfJitter = { random: () => 1 };
const hi = { userMessage: "Hi" };

describe.each(protocols)("over %s", (protocol) => {
  it("waits longer after each failure, within its bounds, and gives up after three [10:A11.9] [10:ERR-2] [10:ERR-3] [10:D58]", async () => {
    for (const [remedies, waits] of [
      [noJitter, [2_000, 4_000]],
      [halfJitter, [3_000, 6_000]],
    ] as const) {
      const { agent, server, clock } = await harness({ protocol, remedies });
      server.otherwise(overloaded());
      const ended = await agent.runConversation(hi);
      expect(ended).toMatchObject({ failed: true, exitReason: "api_retries_exhausted", errorClass: "overloaded" });
      expect(clock.slept).toEqual(waits);
    }
  });

  it("waits as long as the server asks, up to two minutes [10:A11.9] [10:ERR-4]", async () => {
    const { agent, server, clock } = await harness({ protocol });
    server.script(rateLimited({ retryAfterMs: 10_000 }), rateLimited({ retryAfterMs: 900_000 }), says("Hi"));
    expect((await agent.runConversation(hi)).completed).toBe(true);
    expect(clock.slept).toEqual([10_000, 120_000]);
  });

  it("says how a limit ended the turn [10:LOOP-20]", async () => {
    const { agent, server } = await harness({ protocol });
    server.otherwise(rateLimited());
    expect(await agent.runConversation(hi)).toMatchObject({ exitReason: "rate_limited", failed: true });
  });

  it("asks again without the parameter that is refused [10:ERR-6] [10:A11.3] [10:D57]", async () => {
    const { agent, server } = await harness({
      protocol,
      deps: { settings: { maxSteps: 90, request: { temperature: 0.5 }, maxConcurrentChildren: 3, budgetHints: false } },
    });
    server.script(
      fails(400, { message: "Unsupported parameter: 'temperature' is not supported with this model." }),
      says("Hi"),
    );
    expect((await agent.runConversation(hi)).completed).toBe(true);
    expect((await server.received(1)).body["temperature"]).toBe(0.5);
    expect((await server.received(2)).body["temperature"]).toBeUndefined();
  });

  it("asks for the output that still fits, and leaves the window alone [10:A11.3] [10:ERR-6]", async () => {
    const { agent, server, requests, conversation } = await harness({ protocol });
    server.script(
      fails(400, {
        message: "max_tokens: 32768 > context_window: 200000 - input_tokens: 190000 = available_tokens: 10000",
      }),
      says("Hi"),
    );
    expect((await agent.runConversation(hi)).completed).toBe(true);
    expect(requests[1]?.options.maxOutputTokens).toBe(9_936);
    expect(conversation.target.limits.contextWindow).toBe(128_000);
  });

  it("fails at once, without another attempt, where nothing can help [10:A11.7] [10:LOOP-20]", async () => {
    const { agent, server } = await harness({ protocol });
    server.script(
      fails(404, { message: "No endpoints available matching your guardrail restrictions and data policy" }),
    );
    const ended = await agent.runConversation(hi);
    expect(ended).toMatchObject({ exitReason: "non_retryable_error", errorClass: "provider_policy_blocked" });
    expect(ended.error).toContain("privacy settings");
    server.assertClean();
  });

  it("tries an unexplained 404 again [10:A11.7]", async () => {
    const { agent, server } = await harness({ protocol });
    server.script(fails(404, { body: "nothing here" }), says("Hi"));
    expect((await agent.runConversation(hi)).completed).toBe(true);
  });

  it("does not take a wrong model name for a passing trouble [10:ERR-6] [10:ERR-17]", async () => {
    const { agent, server } = await harness({ protocol });
    server.script(modelNotFound());
    const ended = await agent.runConversation(hi);
    expect(ended).toMatchObject({ exitReason: "non_retryable_error", errorClass: "model_not_found" });
    expect(ended.error).toContain("hermes model");
    server.assertClean();
  });
});

describe("signatures of thinking", () => {
  it("are left out after a refusal, once, and the request is made anew [10:A11.8] [10:ERR-6] [20:R1.44] [10:D19]", async () => {
    const { agent, server, recorded } = await harness({ protocol: "anthropic_messages" });
    server.script(
      reply([thinks("Hm."), says("One.")]),
      fails(400, { message: "messages.1.content.0: Invalid `signature` in `thinking` block" }),
      says("Two."),
    );
    await agent.runConversation(hi);
    expect((await agent.runConversation(hi)).completed).toBe(true);
    expect(JSON.stringify((await server.received(2)).body)).toContain('"signature"');
    expect(JSON.stringify((await server.received(3)).body)).not.toContain('"type":"thinking","thinking"');
    expect(recorded[1]).toHaveProperty("reasoning_details");
  });

  it("that are refused again end the turn without waiting [10:A11.8]", async () => {
    const { agent, server, clock } = await harness({ protocol: "anthropic_messages" });
    const refused = fails(400, { message: "Invalid `signature` in `thinking` block" });
    server.script(refused, refused);
    const ended = await agent.runConversation(hi);
    expect(ended).toMatchObject({ exitReason: "non_retryable_error", errorClass: "thinking_signature" });
    expect(clock.slept).toEqual([]);
    server.assertClean();
  });
});

describe("a request that is too large", () => {
  const keeper = (relieves: readonly boolean[]): ContextKeeper & { readonly asked: string[] } => {
    const asked: string[] = [];
    return {
      asked,
      fit: () => Promise.resolve(),
      relieve: (_turn, cause) => Promise.resolve(relieves[asked.push(cause) - 1] ?? false),
    };
  };

  it("is compressed three times a turn at most, then given up with its name [10:ERR-12] [10:ERR-13] [10:LOOP-26] [10:D11]", async () => {
    const one = keeper([true, true, true, true]);
    const { agent, server } = await harness({ deps: { keeper: () => one } });
    server.otherwise(payloadTooLarge());
    const ended = await agent.runConversation(hi);
    expect(one.asked).toEqual(["payload_too_large", "payload_too_large", "payload_too_large"]);
    expect(ended).toMatchObject({
      exitReason: "payload_too_large",
      isCompressionExhausted: true,
      partial: true,
      failed: true,
    });
  });

  it("teaches the window that the message names, kept once a request has worked [10:A11.12] [10:ERR-12]", async () => {
    const learned: number[] = [];
    const seen: (readonly number[])[] = [];
    const { agent, server, conversation } = await harness({
      deps: { keeper: () => keeper([true]) },
      remedies: { onWindowLearned: (_target, window) => void learned.push(window) },
    });
    server.script(fails(400, { message: "This model's maximum context length is 32768 tokens." }), () => {
      seen.push([...learned]);
      return says("Hi");
    });
    expect((await agent.runConversation(hi)).completed).toBe(true);
    expect(seen).toEqual([[]]);
    expect(learned).toEqual([32_768]);
    expect(conversation.primary.limits.contextWindow).toBe(32_768);
  });

  it("does not teach a window that never worked, and steps down where none is named [10:ERR-12]", async () => {
    const learned: number[] = [];
    const { agent, server, conversation } = await harness({
      deps: { keeper: () => keeper([true, false]) },
      remedies: { onWindowLearned: (_target, window) => void learned.push(window) },
    });
    server.otherwise(fails(400, { message: "prompt is too long" }));
    expect(await agent.runConversation(hi)).toMatchObject({
      exitReason: "context_overflow",
      isCompressionExhausted: true,
    });
    expect(learned).toEqual([]);
    expect(conversation.target.limits.contextWindow).toBe(16_000);
  });

  it("moves long results into files before it is given up; what is stored keeps them [10:ERR-13]", async () => {
    const files = new Map<string, string>();
    const long = "x".repeat(20_000);
    const history: readonly Message[] = [
      { role: "user", content: "a", uid: "u1" },
      {
        role: "assistant",
        content: "",
        uid: "u2",
        tool_calls: [{ id: "c1", type: "function", function: { name: "terminal", arguments: "{}" } }],
      },
      { role: "tool", content: long, tool_call_id: "c1", tool_name: "terminal", uid: "u3" },
      { role: "assistant", content: "b", uid: "u4" },
    ];
    const { agent, server } = await harness({
      history,
      target: { limits: { contextWindow: 8_000 } },
      remedies: {
        resultFiles: {
          keep: (id, text) => {
            files.set(id, text);
            return Promise.resolve(`/tmp/${id}.txt`);
          },
        },
      },
    });
    server.script(contextOverflow(), says("Hi"));
    expect((await agent.runConversation(hi)).completed).toBe(true);
    expect(files.get("c1")).toBe(long);
    const second = JSON.stringify((await server.received(2)).body);
    expect(second).toContain("/tmp/c1.txt");
    expect(second.length).toBeLessThan(10_000);
  });

  it("in the long-context tier is compressed into the ordinary window [10:ERR-6]", async () => {
    const one = keeper([true]);
    const { agent, server, conversation } = await harness({
      target: { limits: { contextWindow: 1_000_000 } },
      deps: { keeper: () => one },
    });
    server.script(fails(429, { message: "Extra usage is required for long context requests." }), says("Hi"));
    expect((await agent.runConversation(hi)).completed).toBe(true);
    expect(one.asked).toEqual(["long_context_tier"]);
    expect(conversation.target.limits.contextWindow).toBe(200_000);
  });

  it("is told apart from a malformed one by the size of the context [10:A11.4] [10:LOOP-65]", async () => {
    const small = await harness();
    small.server.script(fails(400, { message: "Error" }));
    expect(await small.agent.runConversation(hi)).toMatchObject({ errorClass: "format_error" });
    const history = Array.from(
      { length: 100 },
      (_, n): Message => ({ role: n % 2 === 0 ? "user" : "assistant", content: `${n}`, uid: `m${n}` }),
    );
    const large = await harness({ history });
    large.server.otherwise(fails(400, { message: "Error" }));
    expect(await large.agent.runConversation(hi)).toMatchObject({ errorClass: "context_overflow" });
  });
});

describe("a turn that is lost", () => {
  const many = Array.from(
    { length: 100 },
    (_, n): Message => ({ role: n % 2 === 0 ? "user" : "assistant", content: `${n}`, uid: `m${n}` }),
  );

  it("does not keep its message when a large context was refused as malformed [10:LOOP-65]", async () => {
    const { agent, server, recorded } = await harness({ history: many });
    const refused = fails(400, {
      message: "tools.0.custom.input_schema: this schema cannot be used with the model that was chosen",
    });
    server.script(refused);
    const ended = await agent.runConversation({ userMessage: "poison" });
    expect(ended).toMatchObject({ exitReason: "non_retryable_error" });
    expect(recorded).toEqual([]);
    expect(ended.messages).toHaveLength(100);
  });

  it("keeps it in a small context [10:LOOP-65]", async () => {
    const { agent, server, recorded } = await harness();
    server.script(
      fails(400, { message: "tools.0.custom.input_schema: this schema cannot be used with the model that was chosen" }),
    );
    await agent.runConversation({ userMessage: "poison" });
    expect(recorded.map((message) => message.content)).toEqual(["poison"]);
  });

  it("hands out its request for a dump; a dump that fails changes nothing [10:ERR-6]", async () => {
    const lost: (readonly [ModelRequest, ModelFailure])[] = [];
    const { agent, server, logger } = await harness({
      deps: {
        onLost: (request, failure) => {
          lost.push([request, failure]);
          return Promise.reject(new Error("disk full"));
        },
      },
    });
    server.script(modelNotFound());
    expect(await agent.runConversation(hi)).toMatchObject({ exitReason: "non_retryable_error" });
    expect(lost[0]?.[0].messages.at(-1)?.content).toBe("Hi");
    expect(lost[0]?.[1].kind).toBe("model_not_found");
    expect(JSON.stringify(logger.lines)).toContain("disk full");
    server.script(says("fine"));
    expect((await agent.runConversation(hi)).completed).toBe(true);
    expect(lost).toHaveLength(1);
  });

  it("ends at once when it is interrupted during a wait [10:A11.14] [10:LOOP-22] [10:ERR-4] [10:ARCH-6]", async () => {
    const clock = new FakeClock();
    const { agent, server } = await harness({ deps: { clock } });
    server.script(rateLimited({ retryAfterMs: 60_000 }));
    const running = agent.runConversation(hi);
    await clock.sleeping();
    agent.interrupt();
    expect(await running).toMatchObject({ exitReason: "interrupted_during_retry", interrupted: true, failed: false });
  });

  it("passes broken connections through new sockets once, with attempts of their own [20:R5.7] [10:ERR-6]", async () => {
    const fresh: number[] = [];
    const { agent, server, clock } = await harness({
      remedies: { ...noJitter, freshConnections: () => void fresh.push(1) },
      target: { timeouts: { connectMs: 5_000, totalMs: 40, streamReadMs: 40, streamStaleMs: 0, wholeStaleMs: 0 } },
    });
    server.otherwise(hang());
    const ended = await agent.runConversation(hi);
    expect(ended).toMatchObject({ exitReason: "api_retries_exhausted", errorClass: "timeout" });
    expect(fresh).toEqual([1]);
    expect(clock.slept).toEqual([2_000, 4_000, 6_000, 2_000, 4_000]);
  });

  it("leaves sockets alone at a provider that passes requests on [20:R5.7]", async () => {
    const fresh: number[] = [];
    const { agent, server } = await harness({
      remedies: { freshConnections: () => void fresh.push(1), isAggregator: () => true, maxAttempts: 1 },
      target: { timeouts: { connectMs: 5_000, totalMs: 40, streamReadMs: 40, streamStaleMs: 0, wholeStaleMs: 0 } },
    });
    server.otherwise(hang());
    await agent.runConversation(hi);
    expect(fresh).toEqual([]);
  });

  it("waits longer for answers of the wrong shape [10:ERR-7] [10:ERR-3] [10:LOOP-20]", async () => {
    const { agent, server, clock } = await harness({ remedies: noJitter });
    server.otherwise(
      fails(200, { body: "<html><title>Busy</title></html>", headers: { "content-type": "text/html" } }),
    );
    const ended = await agent.runConversation(hi);
    expect(ended).toMatchObject({ exitReason: "invalid_response", failed: true });
    expect(clock.slept).toEqual([5_000, 10_000]);
  });

  it.each([".", ""])("is explained by whoever knows the provider, in whole sentences (%j) [10:ERR-17]", async (end) => {
    const { agent, server } = await harness({
      deps: {
        explain: (failure, target) => ({
          code: failure.kind,
          message: `${target.providerLabel} does not know ${failure.model}${end}`,
          hint: "Pick another.",
          provider: failure.provider,
        }),
      },
    });
    server.script(modelNotFound());
    expect((await agent.runConversation(hi)).error).toBe("Custom does not know test-model. Pick another.");
  });

  it("never puts a key into its words [10:ERR-17]", async () => {
    const { agent, server } = await harness();
    server.script(badKey());
    const ended = await agent.runConversation(hi);
    expect(ended).toMatchObject({ errorClass: "auth", exitReason: "non_retryable_error" });
    expect(ended.error).toContain("hermes auth add");
  });

  it("is refused for policy with the way to the settings, and does not count as retried [10:ERR-17]", async () => {
    const { agent, server } = await harness({ server: { chatDialect: "openrouter" } });
    server.script(policyBlocked());
    expect((await agent.runConversation(hi)).failed).toBe(true);
    server.assertClean();
  });

  it("is announced with the remedy and the wait [10:ERR-4] [10:LOOP-59]", async () => {
    const { agent, server, events } = await harness({ remedies: noJitter });
    server.script(serverError(), says("Hi"));
    await agent.runConversation(hi);
    expect(events.filter((event) => event.type === "recovery-start")).toEqual([
      {
        type: "recovery-start",
        remedy: "wait-and-retry",
        problem: expect.stringContaining("server_error"),
        waitMs: 2_000,
        provider: expect.any(String),
        attempt: { number: 2, of: 3 },
      },
    ]);
  });
});
