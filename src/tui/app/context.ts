import type { InputArea, TuiContext } from "../extension.ts";
import { bufferOf } from "../input/buffer.ts";
import type { UserAction } from "../state/action.ts";
import type { ViewState } from "../state/state.ts";
import { toLine } from "../text/styled.ts";
import type { SessionLink } from "./session-link.ts";

interface ContextDeps {
  readonly state: () => ViewState;
  readonly link: SessionLink;
  readonly dispatch: (action: UserAction) => void;
  readonly setDraft: (text: string, cursor: number) => void;
  readonly submit: (text: string) => void;
  readonly invalidate: () => void;
}

/** What extensions see of the running UI; every value is read at the moment it is asked for. */
export function contextOf(deps: ContextDeps): TuiContext {
  return {
    get agent() {
      return deps.link.current ?? null;
    },
    get model() {
      return deps.state().usage.model ?? deps.link.current?.info.model ?? "";
    },
    get provider() {
      return deps.link.current?.info.provider ?? "";
    },
    get conversationHistory() {
      return deps.link.current?.history ?? [];
    },
    get session() {
      return deps.link.current?.info ?? null;
    },
    get config() {
      return deps.state().settings;
    },
    print: (line) => deps.dispatch({ type: "show", item: { kind: "lines", lines: [toLine(line)] } }),
    invalidate: deps.invalidate,
    submit: deps.submit,
  };
}

export function inputAreaOf(deps: ContextDeps): InputArea {
  return {
    get text() {
      return deps.state().editor.buffer.text;
    },
    set text(text: string) {
      deps.setDraft(text, text.length);
    },
    get cursor() {
      return deps.state().editor.buffer.cursor;
    },
    set cursor(cursor: number) {
      deps.setDraft(deps.state().editor.buffer.text, bufferOf(deps.state().editor.buffer.text, cursor).cursor);
    },
    insert: (text) => deps.dispatch({ type: "insert", text }),
    focus: () => deps.dispatch({ type: "escape" }),
    get history() {
      return deps.state().editor.history;
    },
  };
}
