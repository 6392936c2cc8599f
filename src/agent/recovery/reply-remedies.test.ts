import { describe, expect, it } from "vitest";
import { isValid, type Message, newToolCall } from "#conversation";
import { collected, defective, loneTurn, treat } from "../testing/lone-turn.ts";
import { joinedFragments } from "../turn/request/fragments.ts";
import { continueNow } from "./continue-now.ts";
import { continueTruncated } from "./continue-truncated.ts";
import { explainBadCall, explainUnreadable } from "./explain-bad-call.ts";
import { nudgeAfterTools, prefillThinking, useEarlierText } from "./nudge-empty-reply.ts";
import { retryEmpty, retryReply } from "./retry-reply.ts";

const again = { kind: "retry", waitMs: 0 };
const call = (name: string, args = "{}") => newToolCall({ id: `id_${name}`, name, arguments: args });

describe("remedies for replies, without a loop [10:A12.6] [10:LOOP-26]", () => {
  it("continue-truncated: three times a step, with more room each time [10:LOOP-27] [10:LOOP-28]", async () => {
    const { turn, recorded } = loneTurn();
    const rooms: unknown[] = [];
    for (const piece of ["a ", "b ", "c "]) {
      const problem = {
        stage: "reply",
        defect: "truncated-text",
        collected: collected({ content: piece.trim() }, { text: piece }),
      } as const;
      expect(await treat(continueTruncated, problem, turn)).toEqual(again);
      rooms.push(turn.takeTweaks().options?.maxOutputTokens);
    }
    expect(rooms).toEqual([8_192, 12_288, 16_384]);
    expect(joinedFragments(turn.history)).toBe("a b c ");
    expect(recorded).toEqual([]);
    expect(await treat(continueTruncated, defective("truncated-text"), turn)).toBe("not treated");
    turn.endStep();
    expect(await treat(continueTruncated, defective("truncated-text"), turn)).toEqual(again);
  });

  it.each([
    ["truncated-call", 1],
    ["incomplete-reasoning", 2],
    ["unreadable-arguments", 2],
  ] as const)("retry: %s, %d times, keeping nothing [10:LOOP-29] [10:LOOP-38] [10:LOOP-34]", async (defect, times) => {
    const { turn } = loneTurn();
    const remedy = retryReply.find((one) => one.treats(defective(defect), turn));
    if (remedy === undefined) throw new Error("no remedy");
    for (let n = 0; n < times; n += 1) expect(await treat(remedy, defective(defect), turn)).toEqual(again);
    expect(await treat(remedy, defective(defect), turn)).toBe("not treated");
    expect(turn.history).toEqual([]);
  });

  it("explain-bad-call: one result per call, twice [10:LOOP-33]", async () => {
    const { turn, recorded } = loneTurn({ history: [{ role: "user", content: "q" }] });
    const problem = defective("unknown-tool", { tool_calls: [call("nope_xyz"), call("terminal")] });
    expect(await treat(explainBadCall, problem, turn)).toEqual(again);
    expect(recorded.map((message) => message.role)).toEqual(["assistant", "tool", "tool"]);
    expect(String(recorded[1]?.content)).toContain("Available: memory, read_file, terminal, web_search");
    expect(isValid(turn.history)).toBe(true);
    expect(await treat(explainBadCall, problem, turn)).toEqual(again);
    expect(await treat(explainBadCall, problem, turn)).toBe("not treated");
  });

  it("explain-unreadable: the call without its arguments, the parser's words, and fresh retries [10:LOOP-34]", async () => {
    const { turn, recorded } = loneTurn();
    turn.spend("retry-unreadable-arguments", { per: "step", times: 2 });
    const problem = defective("unreadable-arguments", { tool_calls: [call("terminal", "{a:}"), call("web_search")] });
    expect(await treat(explainUnreadable, problem, turn)).toEqual(again);
    expect(recorded[0]).toMatchObject({
      tool_calls: [{ function: { arguments: "{}" } }, { function: { arguments: "{}" } }],
    });
    expect(String(recorded[1]?.content)).toContain("not valid JSON");
    expect(String(recorded[2]?.content)).toContain("Send this call again");
    expect(turn.usesOf("retry-unreadable-arguments", "step")).toBe(0);
  });

  it("continue-now: announcements twice, unfinished answers three times, the same one once [10:LOOP-39] [10:LOOP-40]", async () => {
    const { turn } = loneTurn();
    const plan = defective("planning-only", { content: "I'll look." });
    expect(await treat(continueNow, plan, turn)).toEqual(again);
    expect(await treat(continueNow, plan, turn)).toEqual(again);
    expect(await treat(continueNow, plan, turn)).toBe("not treated");
    const other = loneTurn();
    const half = defective("responses-incomplete", { content: "half", codex_reasoning_items: [{ id: "r" }] });
    for (let n = 0; n < 3; n += 1) expect(await treat(continueNow, half, other.turn)).toEqual(again);
    expect(await treat(continueNow, half, other.turn)).toBe("not treated");
    expect(other.turn.history).toHaveLength(1);
  });

  it("use-earlier-text: only words beside housekeeping, of this turn [10:LOOP-37]", async () => {
    const noted = (name: string): readonly Message[] => [
      { role: "assistant", content: "Noted.", tool_calls: [call(name)] },
      { role: "tool", content: "ok", tool_call_id: `id_${name}`, tool_name: name },
    ];
    const housekeeping = loneTurn({ history: noted("memory") });
    expect(await treat(useEarlierText, defective("empty"), housekeeping.turn)).toEqual({
      kind: "end",
      outcome: { exitReason: "fallback_prior_turn_content", text: "Noted." },
    });
    expect(
      await treat(useEarlierText, defective("empty"), loneTurn({ history: noted("terminal") }).turn),
    ).toBeUndefined();
    const earlier = loneTurn({ history: noted("memory") });
    await earlier.turn.begin({ role: "user", content: "next" });
    expect(await treat(useEarlierText, defective("empty"), earlier.turn)).toBeUndefined();
  });

  it("nudge-after-tools: once, while a result is among the last five messages [10:LOOP-37]", async () => {
    const result: Message = { role: "tool", content: "ok", tool_call_id: "x", tool_name: "terminal" };
    const { turn } = loneTurn({ history: [result] });
    expect(await treat(nudgeAfterTools, defective("empty"), turn)).toEqual(again);
    expect(turn.history.slice(1)).toMatchObject([
      { content: "(empty)", _scaffold: true },
      { role: "user", _scaffold: true },
    ]);
    expect(await treat(nudgeAfterTools, defective("empty"), turn)).toBe("not treated");
    const words: readonly Message[] = Array.from({ length: 5 }, () => ({ role: "user", content: "x" }));
    expect(await treat(nudgeAfterTools, defective("empty"), loneTurn({ history: [result, ...words] }).turn)).toBe(
      "not treated",
    );
  });

  it("prefill-thinking: twice, only where there is reasoning; gone with the scaffold [10:LOOP-37] [10:LOOP-41]", async () => {
    const { turn } = loneTurn();
    const thought = defective("empty", { reasoning: "hm" });
    expect(await treat(prefillThinking, defective("empty"), turn)).toBe("not treated");
    expect(await treat(prefillThinking, thought, turn)).toEqual(again);
    expect(await treat(prefillThinking, thought, turn)).toEqual(again);
    expect(await treat(prefillThinking, thought, turn)).toBe("not treated");
    expect(turn.history.every((message) => message._scaffold === true)).toBe(true);
    expect(turn.dropScaffold()).toBe(true);
    expect(turn.history).toEqual([]);
  });

  it("retry-empty: three times, and again for another model [10:LOOP-37]", async () => {
    const { turn } = loneTurn();
    for (let n = 0; n < 3; n += 1) expect(await treat(retryEmpty, defective("empty"), turn)).toEqual(again);
    expect(await treat(retryEmpty, defective("empty"), turn)).toBe("not treated");
    turn.resetRemedies(["retry-empty"]);
    expect(await treat(retryEmpty, defective("empty"), turn)).toEqual(again);
  });
});
