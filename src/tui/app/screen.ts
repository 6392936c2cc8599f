import type { LayoutSlots, Widget } from "../extension.ts";
import type { ViewState } from "../state/state.ts";
import type { TranscriptItem } from "../state/transcript-item.ts";
import type { TuiTerminal } from "../terminal/terminal.ts";
import { cutLine, type Line, plainText } from "../text/styled.ts";
import type { BannerFacts } from "../view/banner.ts";
import { itemRows, type Look } from "../view/item-rows.ts";
import { compose } from "../view/paint/compose.ts";
import { harmless } from "../view/paint/painted-line.ts";
import { Painter } from "../view/paint/painter.ts";
import { baseLayout, builtInSlots, type ViewSource } from "../view/slots.ts";
import type { Libraries } from "./libraries.ts";
import type { ThemeKeeper } from "./theme-keeper.ts";

export interface ScreenDeps {
  readonly terminal: TuiTerminal;
  readonly theme: ThemeKeeper;
  readonly libraries: Libraries;
  readonly banner: () => BannerFacts;
  readonly state: () => ViewState;
  readonly nowMs: () => number;
  readonly onPrinted: (count: number) => void;
}

/** Draws the state: finished items once, everything else as often as it changes. */
export class Screen {
  readonly #deps: ScreenDeps;
  readonly #painter: Painter;
  #widgets: readonly Widget[] = [];

  /** The last row that was written is empty. */
  #endsEmpty = false;

  constructor(deps: ScreenDeps) {
    this.#deps = deps;
    this.#painter = new Painter((text) => deps.terminal.write(text));
  }

  /** Builds the layout; extensions may have rearranged it. */
  build(extra: readonly Widget[], arrange: (slots: LayoutSlots, base: typeof baseLayout) => readonly Widget[]): void {
    const source: ViewSource = {
      state: this.#deps.state,
      look: () => this.#look(),
      nowMs: this.#deps.nowMs,
      rows: () => this.#deps.terminal.rows,
    };
    this.#widgets = arrange(builtInSlots(source, extra), baseLayout);
  }

  paint(): void {
    const { terminal, theme } = this.#deps;
    const printed = this.#takePending();
    if (!terminal.isTty) {
      this.#writePlain(printed);
      return;
    }
    const size = { columns: terminal.columns, rows: terminal.rows };
    const { lines, cursor } = compose(this.#widgets, size);
    this.#painter.paint({ printed, live: lines, cursor, ...size }, theme.sgr);
  }

  /** Writes what is finished and takes the live rows away, so that another program may use the terminal. */
  leave(last: readonly Line[] = []): void {
    const { terminal, theme } = this.#deps;
    const printed = [...this.#takePending(true), ...last];
    if (!terminal.isTty) {
      this.#writePlain(printed);
      return;
    }
    const size = { columns: terminal.columns, rows: terminal.rows };
    this.#painter.paint({ printed, live: [[]], cursor: { row: 0, column: 0 }, ...size }, theme.sgr);
    this.#painter.erase();
    this.#painter.forget();
  }

  /** A file or a pipe gets the finished rows as text, and nothing that moves. */
  #writePlain(rows: readonly Line[]): void {
    if (rows.length === 0) return;
    this.#deps.terminal.write(rows.map((row) => `${harmless(plainText(row)).trimEnd()}\n`).join(""));
  }

  forget(): void {
    this.#painter.forget();
  }

  clear(): void {
    this.#deps.terminal.write("\x1b[H\x1b[2J\x1b[3J");
    this.#painter.forget();
    this.paint();
  }

  #takePending(isLast = false): Line[] {
    const { pending, phase } = this.#deps.state();
    const look = this.#look();
    // The banner comes first, and it is finished only when the session is there.
    const isHeld = phase === "starting" && this.#deps.terminal.isTty;
    const ready = isLast ? pending.length : isHeld ? 0 : readyCount(pending, this.#deps.libraries);
    if (ready === 0) return [];
    // A row wider than the terminal would take two, and the painter counts on one.
    const rows = pending
      .slice(0, ready)
      .flatMap((item) => this.#rowsOf(item, look).map((row) => cutLine(row, look.columns)));
    this.#deps.onPrinted(ready);
    return rows;
  }

  /** What the person says stands apart by one empty row, also below a line of theirs that had no answer. */
  #rowsOf(item: TranscriptItem, look: Look): readonly Line[] {
    const all = itemRows(item, look);
    const rows = item.kind === "user" && this.#endsEmpty ? all.slice(1) : all;
    this.#endsEmpty = rows.length === 0 ? this.#endsEmpty : plainText(rows.at(-1) ?? []).trim() === "";
    return rows;
  }

  #look(): Look {
    const { terminal, theme, libraries } = this.#deps;
    return {
      columns: terminal.columns,
      rows: terminal.rows,
      settings: this.#deps.state().settings,
      skin: theme.skin,
      lexer: libraries.lexer,
      highlight: libraries.highlighter.highlight,
      banner: this.#deps.banner(),
    };
  }
}

/** Items keep their order: one that waits for a library holds back those behind it. */
function readyCount(items: readonly TranscriptItem[], libraries: Libraries): number {
  const stuck = items.findIndex((item) => !libraries.isReadyFor(item));
  return stuck < 0 ? items.length : stuck;
}
