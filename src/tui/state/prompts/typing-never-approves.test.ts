import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defaultTuiSettings } from "../../settings.ts";
import { approval, turnStart } from "../../testing/events.ts";
import type { UserAction } from "../action.ts";
import { reduce } from "../reduce.ts";
import { initialState, type ViewState } from "../state.ts";

/** Keys that are part of writing a text; letters and digits that could be answers are as frequent as all others. */
const key: fc.Arbitrary<UserAction> = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(..."ofsadrv123456").map((text) => ({ type: "insert" as const, text })) },
  {
    weight: 4,
    arbitrary: fc.string({ minLength: 1, maxLength: 1 }).map((text) => ({ type: "insert" as const, text })),
  },
  { weight: 3, arbitrary: fc.constant({ type: "enter" as const }) },
  { weight: 1, arbitrary: fc.constant({ type: "remove" as const, motion: "left" as const }) },
  { weight: 1, arbitrary: fc.constant({ type: "newline" as const }) },
  { weight: 1, arbitrary: fc.string().map((text) => ({ type: "paste" as const, text })) },
);
/** Any speed, as long as nobody stops: a pause is 700 ms. */
const typed = fc.array(fc.record({ key, gapMs: fc.integer({ min: 0, max: 699 }) }), { minLength: 1, maxLength: 60 });

interface Run {
  readonly state: ViewState;
  readonly approved: readonly string[];
}

function play(text: readonly { key: UserAction; gapMs: number }[], appearsAtMs: number, more: object): Run {
  let state = reduce(initialState(defaultTuiSettings), turnStart, 0);
  let nowMs = 0;
  let hasAppeared = false;
  const approved: string[] = [];
  const step = (input: Parameters<typeof reduce>[1]): void => {
    state = reduce(state, input, nowMs);
    for (const effect of state.effects) if (effect.do === "approve") approved.push(String(effect.answer));
    state = { ...state, effects: [] };
  };
  const appear = (): void => {
    hasAppeared = true;
    const last = nowMs;
    nowMs = appearsAtMs;
    step(approval("a1", more));
    nowMs = Math.max(last, appearsAtMs);
  };
  // Text that is begun after the dialog begins at zero; the dialog came before that.
  if (appearsAtMs < 0) {
    appear();
    nowMs = 0;
  }
  for (const { key: pressed, gapMs } of text) {
    if (!hasAppeared && nowMs + gapMs >= appearsAtMs) appear();
    nowMs += gapMs;
    step({ type: "tick" });
    step(pressed);
  }
  if (!hasAppeared) appear();
  for (let second = 0; second < 10; second += 1) {
    nowMs += 1_000;
    step({ type: "tick" });
  }
  return { state, approved };
}

describe("a text typed without a pause", () => {
  it.each([
    ["a destructive one", { isDestructive: true }],
    ["any other", { isDestructive: false }],
  ])("never approves, begun before or after the dialog appears: %s", (_name, more) => {
    fc.assert(
      fc.property(typed, fc.integer({ min: -30_000, max: 20_000 }), (text, appearsAtMs) => {
        const { approved, state } = play(text, appearsAtMs, more);
        expect(approved).toEqual([]);
        expect(state.prompts).toHaveLength(1);
      }),
      { numRuns: 2_000 },
    );
  });

  it("stays in the editor, whole", () => {
    const words = fc.string({ minLength: 1, maxLength: 40 }).filter((text) => !/^[v?]/.test(text));
    fc.assert(
      fc.property(
        words,
        fc.integer({ min: -30_000, max: 5_000 }),
        fc.integer({ min: 0, max: 699 }),
        (text, at, gapMs) => {
          const { state } = play(
            [...text].map((one) => ({ key: { type: "insert", text: one }, gapMs })),
            at,
            {},
          );
          const [prompt] = state.prompts;
          const last = prompt?.kind === "approval" ? prompt.pressed : "";
          expect(state.editor.buffer.text + last).toBe(text);
        },
      ),
    );
  });

  it("does approve when it is meant: a letter, a pause, Enter", () => {
    const meant = [
      { key: { type: "insert", text: "o" } as const, gapMs: 0 },
      { key: { type: "enter" } as const, gapMs: 700 },
    ];
    expect(play(meant, -1_000, {}).approved).toEqual(["once"]);
  });
});
