import { print, type ViewState } from "../state.ts";

const maxHeld = 100_000;

/** Reasoning as it streams: row by row into its box, unless it is hidden or the answer is being written. */
export function addThought(state: ViewState, text: string, nowMs: number): ViewState {
  if (!isShown(state)) return countHidden(state, text, nowMs);
  if (state.answer.isOpen) {
    const held = (state.thoughts.held + text).slice(-maxHeld);
    return { ...state, thoughts: { ...state.thoughts, held } };
  }
  const { thoughts } = state;
  const visible = thoughts.isOpen ? text : text.replace(/^\s+/, "");
  if (visible === "") return state;
  const rows = (thoughts.row + visible).split("\n");
  const row = rows.pop() ?? "";
  const opened = thoughts.isOpen ? state : print(state, { kind: "reasoning-start" });
  const next = {
    ...thoughts,
    isOpen: true,
    row,
    lineCount: thoughts.lineCount + rows.length,
    startedAtMs: thoughts.isOpen ? thoughts.startedAtMs : nowMs,
  };
  const moved: ViewState = { ...opened, thoughts: next };
  return rows.length === 0 ? moved : print(moved, { kind: "reasoning", lines: rows });
}

/** Ends the box before anything else is shown. */
export function closeThoughts(state: ViewState, nowMs: number): ViewState {
  const { thoughts } = state;
  if (!thoughts.isOpen) return state;
  const reset: ViewState = { ...state, thoughts: { ...thoughts, isOpen: false, row: "", lineCount: 0 } };
  if (!isShown(state)) {
    if (!state.settings.showReasoning || state.settings.details.thinking !== "collapsed") return reset;
    const lineCount = thoughts.lineCount + 1;
    return print(reset, { kind: "reasoning-note", lineCount, durationMs: nowMs - thoughts.startedAtMs });
  }
  const last = thoughts.row.trim() === "" ? [] : [{ kind: "reasoning", lines: [thoughts.row] } as const];
  return print(reset, ...last, { kind: "reasoning-end", hiddenLines: 0 });
}

const maxWholeLines = 10;
const maxPreviewLines = 5;

/** Reasoning that came in one piece with the finished message. */
export function showWholeThought(state: ViewState, reasoning: string): ViewState {
  const lines = reasoning.trim().split("\n");
  if (reasoning.trim() === "") return state;
  if (isShown(state)) return boxed(state, lines, maxWholeLines);
  if (state.settings.toolProgress !== "verbose") return state;
  const shown = lines.slice(0, maxPreviewLines);
  return print(state, ...shown.map((line) => ({ kind: "activity", text: `[thinking] ${line}` }) as const));
}

function boxed(state: ViewState, lines: readonly string[], max: number): ViewState {
  return print(
    state,
    { kind: "reasoning-start" },
    { kind: "reasoning", lines: lines.slice(0, max) },
    { kind: "reasoning-end", hiddenLines: Math.max(0, lines.length - max) },
  );
}

function isShown(state: ViewState): boolean {
  return state.settings.showReasoning && state.settings.details.thinking === "expanded";
}

/** Counted, so that a collapsed box can say how much was thought. */
function countHidden(state: ViewState, text: string, nowMs: number): ViewState {
  const { thoughts } = state;
  const lineCount = thoughts.lineCount + (text.match(/\n/g)?.length ?? 0);
  const startedAtMs = thoughts.isOpen ? thoughts.startedAtMs : nowMs;
  return { ...state, thoughts: { ...thoughts, isOpen: true, lineCount, startedAtMs } };
}
