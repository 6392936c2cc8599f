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
  "That tool took a while. /verbose changes how much tool output you see, and Esc stops a tool that takes too long.";

function busyText(state: ViewState): string {
  switch (state.settings.busyInputMode) {
    case "interrupt":
      return "Sending a message while Hermes is working interrupts it. /queue <text> waits until the turn ends; /steer <text> guides it without stopping it.";
    case "queue":
      return "Your message will be sent when this turn ends. Esc stops the turn; /steer <text> guides it without stopping it.";
    case "steer":
      return "Your message goes to the running turn. /queue <text> waits until it ends; Esc stops it.";
  }
}
