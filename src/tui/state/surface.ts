import type { SurfaceAction } from "#session";
import { bufferOf } from "../input/buffer.ts";
import type { Details, ToolProgress } from "../settings.ts";
import { editDraft } from "./editing/editing.ts";
import { effect, notice, type ViewState } from "./state.ts";

/** What a command asked the terminal itself to do. */
export function actOnSurface(state: ViewState, action: SurfaceAction): ViewState {
  switch (action.do) {
    case "quit":
      return effect({ ...state, phase: "closing" }, { do: "exit", code: 0 });
    case "clear-screen":
      return effect(state, { do: "clear-screen" });
    case "set-skin":
      return effect(state, { do: "set-skin", name: action.name });
    case "toggle-statusbar":
      return set(state, { showStatusBar: !state.settings.showStatusBar });
    case "cycle-verbose":
      return cycle(state);
    case "set-details":
      return setDetails(state, action);
    case "show-details":
      return notice(
        state,
        "info",
        `${detailsText(state.settings.details)}. Change: /details [section] ${modes.join("|")}`,
      );
    case "show-reasoning":
      return notice(
        set(state, { showReasoning: action.isShown }),
        "info",
        action.isShown ? "Thinking is now shown." : "Thinking is now hidden.",
      );
    case "copy":
      return effect(state, { do: "copy", text: action.text });
    case "attach-image":
      return effect(state, { do: "attach-image", path: action.path });
    case "paste-image":
      return effect(state, { do: "paste-image" });
    case "edit-line":
      return editDraft(notice(state, "info", action.about), bufferOf(action.text));
    case "connect":
      return effect(state, { do: "connect" });
    case "switch-session":
      return effect(state, { do: "switch-session", id: action.id });
  }
}

function set(state: ViewState, change: Partial<ViewState["settings"]>): ViewState {
  return { ...state, settings: { ...state.settings, ...change } };
}

const progressOrder: readonly ToolProgress[] = ["off", "new", "all", "verbose"];
const progressWords: Readonly<Record<ToolProgress, string>> = {
  off: "Tool lines: off",
  new: "Tool lines: only when the tool changes",
  all: "Tool lines: every call",
  verbose: "Tool lines: every call with arguments and results",
};

function cycle(state: ViewState): ViewState {
  const now = progressOrder.indexOf(state.settings.toolProgress);
  const toolProgress = progressOrder[(now + 1) % progressOrder.length] ?? "all";
  return notice(set(state, { toolProgress }), "info", progressWords[toolProgress]);
}

const sections = ["thinking", "tools", "subagents", "activity"] as const;
const modes = ["hidden", "collapsed", "expanded"] as const;

function detailsText(details: Details): string {
  return `Details: ${sections.map((section) => `${section} ${details[section]}`).join(", ")}`;
}

function setDetails(state: ViewState, wanted: { readonly section: string; readonly mode: string }): ViewState {
  const mode = modes.find((one) => one === wanted.mode);
  const section = sections.find((one) => one === wanted.section);
  const isAll = wanted.section === "" || wanted.section === "all";
  if (mode === undefined || (section === undefined && !isAll)) {
    return notice(state, "error", `Details: sections are ${sections.join(", ")}; modes are ${modes.join(", ")}.`);
  }
  const details: Details =
    section === undefined
      ? { thinking: mode, tools: mode, subagents: mode, activity: mode }
      : { ...state.settings.details, [section]: mode };
  return notice(set(state, { details }), "info", `Details: ${section ?? "all sections"} ${mode}`);
}
