import { effect, print, type ViewState } from "./state.ts";

export type Hint = "busy-input" | "long-tool";

/** Shown once in a person's life with Hermes. */
export function showHint(state: ViewState, hint: Hint): ViewState {
  if (state.seenHints.includes(hint)) return state;
  const text = hint === "busy-input" ? busyText(state) : longToolText;
  const seen: ViewState = { ...state, seenHints: [...state.seenHints, hint] };
  return effect(print(seen, { kind: "hint", text }), { do: "hint-seen", hint });
}

const longToolText =
  "That tool took a while. /verbose changes how much you see of tools, and Esc stops one that takes too long.";

function busyText(state: ViewState): string {
  switch (state.settings.busyInputMode) {
    case "interrupt":
      return "A message sent while Hermes works stops it. /queue <text> waits for the end instead; /steer <text> is handed into the work.";
    case "queue":
      return "Your message waits until this turn ends. Esc stops the turn; /steer <text> is handed into the work.";
    case "steer":
      return "Your message is handed into the running turn. /queue <text> waits for its end; Esc stops it.";
  }
}
