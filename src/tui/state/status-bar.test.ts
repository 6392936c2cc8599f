import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defaultTuiSettings } from "../settings.ts";
import { sessionInfo } from "../testing/fake-session.ts";
import { lineWidth, plainText } from "../text/styled.ts";
import { reduce } from "./reduce.ts";
import { initialState, type ViewState } from "./state.ts";
import { contextStyle, costText, statusBar } from "./status-bar.ts";

const ready = (more: Partial<ReturnType<typeof sessionInfo>> = {}): ViewState =>
  reduce(
    initialState({ ...defaultTuiSettings, showCost: true }),
    { type: "session-ready", info: sessionInfo({ startedAtMs: 0, ...more }), history: [] },
    0,
  );

describe("the status bar", () => {
  it("reads as the specification draws it [20:R10.15]", () => {
    const state = { ...ready({ cost: { status: "actual", source: "provider", usd: 0.06 } }), lastTurnMs: 12_000 };
    expect(plainText(statusBar(state, 100, 15 * 60_000)).trimEnd()).toBe(
      " ⚕ claude-sonnet-4-20250514 │ 12.4K/200K │ [█░░░░░░░░░] 6% │ 15m │ ⏲ 12s │ $0.06",
    );
    expect(plainText(statusBar(state, 60, 15 * 60_000)).trimEnd()).toBe(
      " ⚕ claude-sonnet-4-20250514 · 6% · 15m · $0.06",
    );
    expect(plainText(statusBar(state, 40, 15 * 60_000)).trimEnd()).toBe(" claude-sonnet-4-20250514 · 15m");
  });

  it.each([100, 60, 40])("names a mode that changes every call, at %d columns", (columns) => {
    const shown = (more: Parameters<typeof ready>[0]) => plainText(statusBar(ready(more), columns, 1_000));
    expect(shown({ isPlanning: true })).toContain("claude-sonnet-4-20250514 ");
    expect(shown({ isPlanning: true })).toContain(" PLAN ");
    expect(shown({ isYolo: true })).toContain(" YOLO ");
    expect(shown({})).not.toMatch(/PLAN|YOLO/);
  });

  it("is exactly one row at any width and with any name [20:R10.15]", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 200 }),
        fc.string({ unit: "grapheme", maxLength: 60 }),
        (columns, model) => {
          expect(lineWidth(statusBar(ready({ model }), columns, 1_000))).toBeLessThanOrEqual(columns);
        },
      ),
    );
  });

  it.each([
    [49, "status-good"],
    [50, "status-warn"],
    [80, "status-warn"],
    [81, "status-bad"],
    [94, "status-bad"],
    [95, "status-critical"],
  ])("colours %i %% as %s [20:R10.16]", (percent, style) => expect(contextStyle(percent)).toBe(style));

  it("marks a cost that was reckoned, and says an unknown price as such [20:R6.11] [20:A6.5]", () => {
    expect(costText({ status: "estimated", source: "official_docs_snapshot", usd: 0.0111 })).toBe("~$0.01");
    expect(costText({ status: "actual", source: "provider", usd: 0.0111 })).toBe("$0.01");
    // As it is counted, and as it comes back from the store.
    expect(costText({ status: "included", source: "none", usd: 0 })).toBe("included");
    expect(costText({ status: "included", source: "none" })).toBe("included");
    expect(costText({ status: "unknown", source: "none" })).toBe("$?");
    expect(costText({ status: "unknown", source: "none", usd: 0.5 })).toBe("≥$0.50");
  });
});
