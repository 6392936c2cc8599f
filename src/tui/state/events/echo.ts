import { print, type ViewState } from "../state.ts";

/** The person's words appear once: at once when Hermes is free, otherwise when they are taken up. */
export function echo(state: ViewState, text: string, images: number): ViewState {
  const line = print(state, { kind: "user", text, images });
  return { ...line, echoes: { ...state.echoes, shown: [...state.echoes.shown, text] } };
}

/** Sent while Hermes is busy; shown when it is known what becomes of it. */
export function echoLater(state: ViewState, text: string): ViewState {
  return { ...state, echoes: { ...state.echoes, waiting: [...state.echoes.waiting, text] } };
}

/** Nothing was taken up: a command was answered, or the words were refused. */
export function forgetEcho(state: ViewState, text: string): ViewState {
  return {
    ...state,
    echoes: { shown: without(state.echoes.shown, text), waiting: without(state.echoes.waiting, text) },
  };
}

/**
 * The session takes words up. Words on the screen are not repeated, also when several were joined into one message
 * or when what was sent says more than what was typed.
 */
export function admit(state: ViewState, text: string): ViewState {
  const { shown, waiting } = state.echoes;
  const rest = shown.filter((line) => !text.includes(line.trim()));
  const left = waiting.filter((line) => !text.includes(line.trim()));
  if (shown.length === 0) {
    return print({ ...state, echoes: { shown, waiting: left } }, { kind: "user", text, images: 0 });
  }
  return { ...state, echoes: { shown: rest.length === shown.length ? shown.slice(1) : rest, waiting: left } };
}

function without(list: readonly string[], text: string): readonly string[] {
  const index = list.indexOf(text);
  return index < 0 ? list : [...list.slice(0, index), ...list.slice(index + 1)];
}
