import { describe, expect, it } from "vitest";
import type { Message } from "#conversation";
import { CredentialRecovery, noCredential, openFallback } from "#model";
import type { CredentialHandle } from "#model/testing";
import type { ContextKeeper } from "../context-keeper.ts";
import { collected, defective, failed, loneTurn, treat } from "../testing/lone-turn.ts";
import { compressHistory } from "./compress-history.ts";
import { dropReasoningSignatures } from "./drop-reasoning-signatures.ts";
import { freshConnection } from "./fresh-connection.ts";
import { keepPartialStream } from "./keep-partial-stream.ts";
import { lowerContextTier } from "./lower-context-tier.ts";
import { persistResults } from "./persist-results.ts";
import { type Remedy, recover } from "./remedy.ts";
import { renewCredential } from "./renew-credential.ts";
import { scrubText } from "./scrub-text.ts";
import { shrinkMedia } from "./shrink-media.ts";
import { shrinkOutput } from "./shrink-output.ts";
import { standardRemedies } from "./standard.ts";
import { stripUnsupported } from "./strip-unsupported.ts";
import { switchEarly, switchTargetLate } from "./switch-target.ts";
import { waitAndRetry } from "./wait-and-retry.ts";

const again = { kind: "retry", waitMs: 0 };
const relieving = (isSmaller: boolean): ContextKeeper => ({
  fit: () => Promise.resolve(),
  relieve: () => Promise.resolve(isSmaller),
});

describe("remedies for requests, without a loop [10:A12.6] [10:ARCH-3] [10:D4]", () => {
  it("interrupt: an abort ends the asking at once [10:ERR-6]", async () => {
    const { turn, stop } = loneTurn();
    const asked: string[] = [];
    const remedy = (name: string): Remedy => ({
      name,
      limit: { per: "turn", times: 9 },
      treats: () => true,
      apply: () => {
        asked.push(name);
        stop.abort();
        return Promise.resolve(undefined);
      },
    });
    const remedies = [remedy("one"), remedy("two")];
    await expect(recover(failed("unknown"), turn, { remedies, sleep: () => Promise.resolve() })).rejects.toThrow();
    expect(asked).toEqual(["one"]);
    expect(turn.interruptReason()).toBe("interrupted_during_retry");
  });

  it("scrub-text: halves of characters, twice a turn, nothing when there are none [10:ERR-6] [10:LOOP-26]", async () => {
    const problem = failed("format_error", { message: "surrogates not allowed in utf-8" });
    const { turn } = loneTurn({ history: [{ role: "user", content: "a\ud83d" }] });
    expect(await treat(scrubText, problem, turn)).toEqual(again);
    expect(turn.history[0]?.content).toBe("a\ufffd");
    expect(await treat(scrubText, problem, turn)).toBeUndefined();
    turn.endStep();
    expect(await treat(scrubText, problem, turn)).toBe("not treated");
    expect(await treat(scrubText, failed("format_error"), loneTurn().turn)).toBe("not treated");
  });

  it("renew-credential: renewed once, then it is for others to help [10:ERR-6]", async () => {
    const { turn, deps, context } = loneTurn();
    const handle: CredentialHandle = { ...noCredential, id: "one", refresh: () => Promise.resolve(true) };
    const input = {
      ...deps,
      credentialRecovery: () => new CredentialRecovery({ handle }),
    };
    const remedy = renewCredential(input, context);
    expect(await treat(remedy, failed("auth"), turn)).toEqual(again);
    expect(await treat(remedy, failed("auth"), turn)).toBeUndefined();
    expect(await treat(remedy, failed("server_error"), turn)).toBe("not treated");
  });

  it("drop-reasoning-signatures: all of them, once; nothing is recorded [10:ERR-6] [20:R1.44] [10:D19]", async () => {
    const history: readonly Message[] = [{ role: "assistant", content: "a", reasoning_details: [{}] }];
    const { turn, recorded } = loneTurn({ history });
    expect(await treat(dropReasoningSignatures, failed("thinking_signature"), turn)).toEqual(again);
    expect(turn.history).toEqual([{ role: "assistant", content: "a" }]);
    expect(history[0]).toHaveProperty("reasoning_details");
    expect(recorded).toEqual([]);
    expect(await treat(dropReasoningSignatures, failed("thinking_signature"), turn)).toBe("not treated");
  });

  it("shrink-media: every image, once; a note where it cannot be done [10:ERR-6]", async () => {
    const image = { type: "image_url", image_url: { url: "data:x" } } as const;
    const { turn, deps } = loneTurn({ history: [{ role: "user", content: [image] }] });
    const remedy = shrinkMedia({ ...deps, shrinkImage: () => Promise.resolve("data:y") });
    expect(await treat(remedy, failed("media_too_large"), turn)).toEqual(again);
    expect(turn.history[0]?.content).toEqual([{ type: "image_url", image_url: { url: "data:y" } }]);
    expect(await treat(remedy, failed("media_too_large"), turn)).toBe("not treated");
    const plain = loneTurn({ history: [{ role: "user", content: "no image" }] });
    expect(await treat(shrinkMedia(plain.deps), failed("media_too_large"), plain.turn)).toBeUndefined();
  });

  it.each([
    ["temperature", "no", { withoutParameters: ["temperature"] }, {}],
    ["max_tokens", "use max_completion_tokens", {}, { outputLimitField: "max_completion_tokens" }],
    ["max_completion_tokens", "no", {}, { outputLimitField: "max_tokens" }],
    ["images", "no", {}, { supportsImages: false }],
    ["routing", "no", {}, { extraBody: { kept: 1 } }],
  ] as const)("strip-unsupported: %s [10:ERR-6]", async (parameter, message, tweaks, quirks) => {
    const { turn, context, conversation } = loneTurn({
      target: { quirks: parameter === "routing" ? { extraBody: { routing: 1, kept: 1 } } : {} },
    });
    expect(
      await treat(stripUnsupported(context), failed("unsupported_parameter", { parameter, message }), turn),
    ).toEqual(again);
    expect(turn.takeTweaks()).toMatchObject(tweaks);
    expect(turn.target.quirks).toMatchObject(quirks);
    expect(conversation.primary).toBe(turn.target);
  });

  it("strip-unsupported: an agent does not go on without its tools; streaming is given up with a word [10:LOOP-49]", async () => {
    const { turn, context, events } = loneTurn();
    const stopped: string[] = [];
    const remedy = stripUnsupported({ ...context, stopStreaming: (baseUrl) => void stopped.push(baseUrl) });
    expect(await treat(remedy, failed("unsupported_parameter", { parameter: "tools" }), turn)).toBeUndefined();
    expect(await treat(remedy, failed("unsupported_parameter", { parameter: "stream" }), turn)).toEqual(again);
    expect(stopped).toEqual(["https://model.example/v1"]);
    expect(events).toMatchObject([{ type: "notice" }]);
  });

  it("shrink-output: what fits less a margin, for one request [10:A11.3]", async () => {
    const { turn } = loneTurn();
    expect(await treat(shrinkOutput, failed("output_cap_too_large", { availableOutputTokens: 10_000 }), turn)).toEqual(
      again,
    );
    expect(turn.takeTweaks().options).toEqual({ maxOutputTokens: 9_936 });
    expect(turn.takeTweaks().options?.maxOutputTokens).toBeUndefined();
    expect(await treat(shrinkOutput, failed("output_cap_too_large"), loneTurn().turn)).toBeUndefined();
  });

  it("lower-context-tier: the ordinary window, if compression made room [10:ERR-6]", async () => {
    for (const isSmaller of [true, false]) {
      const { turn, context } = loneTurn({ target: { limits: { contextWindow: 1_000_000 } } });
      const relief = await treat(
        lowerContextTier({ ...context, keeper: relieving(isSmaller) }),
        failed("long_context_tier"),
        turn,
      );
      expect(relief).toEqual(isSmaller ? { kind: "retry", waitMs: 2_000 } : undefined);
      expect(turn.target.limits.contextWindow).toBe(200_000);
    }
  });

  it.each([
    ["named and smaller", { contextLimit: 32_768 }, 32_768, [32_768]],
    ["named and the same: only compression can help", { contextLimit: 128_000 }, 128_000, []],
    ["not named, only the excess: it is right as it is", { excessTokens: 5_000 }, 128_000, []],
    ["not named: one step down, told to nobody", {}, 64_000, []],
    ["named beyond reason", { contextLimit: 12 }, 64_000, []],
  ] as const)("compress-history: a window %s [10:ERR-12] [10:A11.12]", async (_what, limits, window, told) => {
    const { turn, deps, context } = loneTurn();
    const learned: number[] = [];
    const later: (() => void)[] = [];
    const remedy = compressHistory(
      { ...deps, onWindowLearned: (_target, size) => void learned.push(size) },
      { ...context, keeper: relieving(true), afterSuccess: (act) => void later.push(act) },
    );
    expect(await treat(remedy, failed("context_overflow", limits), turn)).toEqual({ kind: "retry", waitMs: 2_000 });
    expect(turn.target.limits.contextWindow).toBe(window);
    expect(learned).toEqual([]);
    for (const act of later) act();
    expect(learned).toEqual(told);
  });

  it("compress-history: no help when nothing became smaller, and three times a turn at most [10:ERR-13] [10:D11]", async () => {
    const { turn, deps, context } = loneTurn();
    const stuck = compressHistory(deps, { ...context, keeper: relieving(false) });
    expect(await treat(stuck, failed("payload_too_large"), turn)).toBeUndefined();
    expect(turn.target.limits.contextWindow).toBe(128_000);
    const helps = compressHistory(deps, { ...context, keeper: relieving(true) });
    expect(await treat(helps, failed("payload_too_large"), turn)).toMatchObject({ kind: "retry" });
    expect(await treat(helps, failed("payload_too_large"), turn)).toMatchObject({ kind: "retry" });
    expect(await treat(helps, failed("payload_too_large"), turn)).toBe("not treated");
  });

  it("persist-results: long results into files, file reads cut, short ones left, once [10:ERR-13]", async () => {
    const long = "z".repeat(9_000);
    const tool = (tool_name: string, content: string): Message => ({
      role: "tool",
      content,
      tool_name,
      tool_call_id: tool_name,
    });
    const { turn, deps, recorded } = loneTurn({
      history: [tool("terminal", long), tool("read_file", long), tool("short", "s")],
    });
    const kept: string[] = [];
    const resultFiles = { keep: (id: string) => Promise.resolve(`/r/${kept.push(id)}`) };
    expect(await treat(persistResults({ ...deps, resultFiles }), failed("context_overflow"), turn)).toEqual(again);
    expect(kept).toEqual(["terminal"]);
    expect(turn.history.map((message) => String(message.content).length < 5_000)).toEqual([true, true, true]);
    expect(recorded).toEqual([]);
    expect(await treat(persistResults(deps), failed("context_overflow"), loneTurn().turn)).toBeUndefined();
  });

  it("keep-partial-stream: words stay, one more try where a call was lost to a passing trouble [10:LOOP-53]", async () => {
    const half = collected({ content: "Half" }, { isPartial: true, lostCalls: ["a", "b", "c", "d"] });
    const { turn } = loneTurn();
    expect(await treat(keepPartialStream, failed("overloaded", {}, half), turn)).toEqual(again);
    const end = await treat(keepPartialStream, failed("overloaded", {}, half), turn);
    expect(end).toMatchObject({ kind: "end", outcome: { exitReason: "partial_stream_recovery" } });
    expect(JSON.stringify(end)).toContain("a, b, c.");
    const other = loneTurn();
    expect(await treat(keepPartialStream, failed("content_filtered", {}, half), other.turn)).toMatchObject({
      kind: "end",
    });
    const silent = collected({}, { isPartial: true });
    expect(await treat(keepPartialStream, failed("timeout", {}, silent), loneTurn().turn)).toBe("not treated");
  });

  it("wait-and-retry: passing troubles only, one less than the attempts, longer each time [10:ERR-2] [10:ERR-3]", async () => {
    const { turn, deps } = loneTurn();
    const remedy = waitAndRetry(deps);
    expect(await treat(remedy, failed("server_error"), turn)).toEqual({ kind: "retry", waitMs: 2_000 });
    expect(await treat(remedy, failed("server_error"), turn)).toEqual({ kind: "retry", waitMs: 4_000 });
    expect(await treat(remedy, failed("server_error"), turn)).toBe("not treated");
    for (const kind of [
      "thinking_signature",
      "unsupported_parameter",
      "media_too_large",
      "output_cap_too_large",
      "context_overflow",
    ] as const)
      expect(await treat(waitAndRetry(deps), failed(kind), loneTurn().turn)).toBe("not treated");
    expect(await treat(waitAndRetry({ ...deps, maxAttempts: 0 }), failed("timeout"), loneTurn().turn)).toBe(
      "not treated",
    );
  });

  it("wait-and-retry: broken connections have a count of their own [10:LOOP-53]", async () => {
    const { turn, deps } = loneTurn();
    const remedy = waitAndRetry({ ...deps, streamRetries: 1 });
    expect(await treat(remedy, failed("timeout"), turn)).toMatchObject({ kind: "retry" });
    expect(await treat(remedy, failed("timeout"), turn)).toBe("not treated");
    expect(await treat(remedy, failed("server_error"), turn)).toMatchObject({ kind: "retry" });
    expect(await treat(freshConnection({ ...deps, streamRetries: 0 }), failed("timeout"), loneTurn().turn)).toBe(
      "not treated",
    );
  });

  it("fresh-connection: broken connections of the first model, once [20:R5.7] [10:ERR-6]", async () => {
    const { turn, deps } = loneTurn();
    let fresh = 0;
    const remedy = freshConnection({
      ...deps,
      freshConnections: () => {
        fresh += 1;
      },
    });
    turn.spend("wait-and-retry", { per: "step", times: 2 });
    expect(await treat(remedy, failed("timeout"), turn)).toEqual({ kind: "retry", waitMs: 5_000 });
    expect(turn.usesOf("wait-and-retry", "step")).toBe(0);
    expect(await treat(remedy, failed("timeout"), turn)).toBe("not treated");
    const moved = loneTurn();
    moved.turn.switchTo({ ...moved.turn.target, model: "other" }, "test");
    expect(await treat(freshConnection(moved.deps), failed("timeout"), moved.turn)).toBe("not treated");
    expect(fresh).toBe(1);
  });

  it("switch-target: the next of the chain, early for limits, late for the rest [10:ERR-8] [10:ERR-6]", async () => {
    const { turn, deps, conversation, events } = loneTurn();
    conversation.fallback = openFallback([{ provider: "p", model: "next" }]);
    const resolve: typeof deps.resolve = () =>
      Promise.resolve({ kind: "target", target: { ...turn.target, provider: "p", model: "next" } });
    const limited = failed("rate_limit", { mayFallBack: true, retryAfterMs: 60_000 });
    expect(await treat(switchEarly({ ...deps, resolve }), failed("server_error", { mayFallBack: true }), turn)).toBe(
      "not treated",
    );
    expect(await treat(switchEarly({ ...deps, resolve }), limited, turn)).toEqual(again);
    expect([turn.target.model, conversation.target.model, conversation.primary.model]).toEqual([
      "next",
      "next",
      "test-model",
    ]);
    expect(events.map((event) => event.type)).toEqual(["target-change", "notice"]);
    expect(await treat(switchTargetLate({ ...deps, resolve }), limited, turn)).toBe("not treated");
  });

  it("switch-target: not where another model would meet the same wall [10:A11.7]", async () => {
    const { turn, deps, conversation } = loneTurn();
    conversation.fallback = openFallback([{ provider: "p", model: "next" }]);
    expect(await treat(switchTargetLate(deps), failed("provider_policy_blocked"), turn)).toBe("not treated");
    expect(await treat(switchTargetLate(deps), defective("unknown-tool"), turn)).toBe("not treated");
    expect(await treat(switchTargetLate(deps), failed("thinking_signature"), turn)).toBeUndefined();
  });

  it("stand in one order: mending, then waiting, then going elsewhere [10:ERR-6]", () => {
    const { deps, context } = loneTurn();
    const names = standardRemedies(deps, context).map((remedy) => remedy.name);
    const asked = [
      "scrub-text",
      "renew-credential",
      "drop-reasoning-signatures",
      "shrink-media",
      "lower-context-tier",
      "switch-early",
      "compress-history",
      "persist-results",
      "wait-and-retry",
      "fresh-connection",
      "switch-target",
    ];
    expect(names.filter((name) => asked.includes(name))).toEqual(asked);
    expect(new Set(names).size).toBe(names.length);
  });
});
