import { Deferred } from "#foundation/lifecycle/deferred";
import { InputGate } from "../app/input-gate.ts";
import { ThemeKeeper } from "../app/theme-keeper.ts";
import { bufferOf, emptyBuffer, insert, move, remove, type TextBuffer } from "../input/buffer.ts";
import type { TerminalInput } from "../input/key-event.ts";
import type { UserAction } from "../state/action.ts";
import { actionFor } from "../state/keymap.ts";
import { chosenItem, type ListItem, type ListState, movedList, narrowedList } from "../state/picking.ts";
import type { TuiTerminal } from "../terminal/terminal.ts";
import { cutText, type Line } from "../text/styled.ts";
import { listRows } from "../view/menu-rows.ts";
import { compose } from "../view/paint/compose.ts";
import { Painter } from "../view/paint/painter.ts";

/** What a question shows and what keys do to it; `undefined` when it is still open. */
interface Question<T> {
  rows(size: { readonly columns: number; readonly rows: number }): readonly Line[];
  take(action: UserAction): { readonly answer: T | undefined } | undefined;
  /** What stays in the scrollback. */
  done(answer: T): string;
}

/** Questions at a terminal outside of the chat: a list to search and choose from, a checklist, a line, a secret. */
export class TerminalAsker {
  readonly #terminal: TuiTerminal;
  readonly #signal: AbortSignal;

  constructor(terminal: TuiTerminal, signal: AbortSignal) {
    this.#terminal = terminal;
    this.#signal = signal;
  }

  /** The index of what was chosen; undefined when the person left. */
  pick(title: string, items: readonly ListItem[], at = 0): Promise<number | undefined> {
    let list: ListState = { title, items, query: "", index: at };
    return this.#ask<number>({
      rows: (size) => listRows(list, size),
      take: (action) => {
        const ended = endOf(action);
        if (ended === "leave") return { answer: undefined };
        const chosen = ended === "done" ? chosenItem(list) : undefined;
        if (chosen !== undefined) return { answer: items.indexOf(chosen) };
        list = inList(list, action);
        return undefined;
      },
      done: (index) => `${title} ${items[index]?.label ?? ""}`,
    });
  }

  /** The indexes that are on; undefined when the person left. */
  pickMany(
    title: string,
    items: readonly ListItem[],
    isOn: ReadonlySet<number>,
  ): Promise<readonly number[] | undefined> {
    const on = new Set(isOn);
    let list: ListState = { title, items, query: "", index: 0, marked: on };
    return this.#ask<readonly number[]>({
      rows: (size) => listRows(list, size),
      take: (action) => {
        const ended = endOf(action);
        if (ended === "leave") return { answer: undefined };
        if (ended === "done") return { answer: items.flatMap((_, index) => (on.has(index) ? [index] : [])) };
        if (action.type === "insert" && action.text === " ") {
          const chosen = chosenItem(list);
          const index = chosen === undefined ? -1 : items.indexOf(chosen);
          if (index >= 0 && !on.delete(index)) on.add(index);
        } else list = inList(list, action);
        return undefined;
      },
      done: (indexes) => `${title} ${indexes.length} of ${items.length}`,
    });
  }

  /** A line of text; undefined when the person left. A secret is shown as dots. */
  line(question: string, options: { readonly usual?: string; readonly isSecret?: boolean } = {}) {
    const { usual = "", isSecret = false } = options;
    let buffer: TextBuffer = emptyBuffer;
    const hint = usual === "" ? "" : `${usual} (Enter)`;
    return this.#ask<string>({
      rows: ({ columns }) => [lineRow({ question, buffer, isSecret, hint }, columns)],
      take: (action) => {
        const ended = endOf(action);
        if (ended === "leave") return { answer: undefined };
        if (ended === "done") return { answer: buffer.text.trim() === "" ? usual : buffer.text.trim() };
        buffer = inLine(buffer, action);
        return undefined;
      },
      done: (text) => `${question}: ${isSecret ? (text === "" ? "none" : "•".repeat(8)) : text}`,
    });
  }

  async #ask<T>(question: Question<T>): Promise<T | undefined> {
    const terminal = this.#terminal;
    const theme = new ThemeKeeper(terminal);
    const painter = new Painter((text) => terminal.write(text));
    const paint = (printed: readonly Line[] = []): void => {
      const size = { columns: terminal.columns, rows: terminal.rows };
      const rows = printed.length > 0 ? [[]] : question.rows(size);
      const { lines, cursor } = compose([{ id: "question", render: () => rows }], size);
      painter.paint({ printed, live: lines, cursor, ...size }, theme.sgr);
    };
    const ended = new Deferred<T | undefined>();
    const take = (input: TerminalInput): void => {
      if (input.kind === "background") {
        theme.useBackground(input.background);
        return;
      }
      const action = input.kind === "paste" ? pasted(input.text) : actionFor(input.event, "");
      const end = action === undefined ? undefined : question.take(action);
      if (end !== undefined) ended.resolve(end.answer);
    };
    using gate = new InputGate({ isTty: true, onInput: take, onLine: () => undefined, onChunkEnd: () => paint() });
    const leave = (): void => ended.resolve(undefined);
    terminal.start({ onInput: (data) => gate.receive(data), onResize: () => paint(), onEnd: leave });
    this.#signal.addEventListener("abort", leave, { once: true });
    try {
      paint();
      await gate.load();
      const answer = await ended.promise;
      gate.isClosed = true;
      if (answer !== undefined) paint([[{ text: cutText(question.done(answer), terminal.columns) }]]);
      painter.erase();
      return answer;
    } finally {
      this.#signal.removeEventListener("abort", leave);
      terminal.stop();
    }
  }
}

function pasted(text: string): UserAction {
  return { type: "insert", text: text.replace(/[\r\n]+/g, " ").trim() };
}

function endOf(action: UserAction): "done" | "leave" | undefined {
  if (action.type === "enter" || action.type === "newline") return "done"; // A line feed: Enter, typed before the question took the terminal.
  return action.type === "escape" || action.type === "cancel" || action.type === "end-of-input" ? "leave" : undefined;
}

function inList(list: ListState, action: UserAction): ListState {
  switch (action.type) {
    case "previous":
    case "back-tab":
      return movedList(list, -1);
    case "next":
    case "tab":
      return movedList(list, 1);
    case "insert":
      return narrowedList(list, list.query + action.text);
    case "remove":
      return narrowedList(list, action.motion === "left" ? list.query.slice(0, -1) : "");
    default:
      return list;
  }
}

function inLine(buffer: TextBuffer, action: UserAction): TextBuffer {
  switch (action.type) {
    case "insert":
      return insert(buffer, action.text);
    case "remove":
      return remove(buffer, action.motion).buffer;
    case "move":
      return move(buffer, action.motion);
    default:
      return buffer;
  }
}

function lineRow(
  line: { readonly question: string; readonly buffer: TextBuffer; readonly isSecret: boolean; readonly hint: string },
  columns: number,
): Line {
  const { question, buffer, isSecret, hint } = line;
  const shown = isSecret ? bufferOf("•".repeat([...buffer.text].length)) : buffer;
  const room = Math.max(8, columns - question.length - 4);
  const from = Math.max(0, shown.cursor - room);
  return [
    { text: `${question}: ` },
    { text: shown.text.slice(from, shown.cursor) },
    { text: shown.text.slice(shown.cursor, from + room), isCursor: true },
    { text: buffer.text === "" ? hint : "", style: "dim" },
  ];
}
