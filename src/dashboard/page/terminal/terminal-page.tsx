import type { RefObject, VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { PageProps } from "../shell/page-props.tsx";
import { sequenceOf } from "./keys.tsx";
import { type Run, rowsOf } from "./screen.tsx";
import { type Size, TerminalLine } from "./terminal-line.tsx";

/** Hermes as it is in a terminal, in the page. The emulator is loaded when this page is opened. */
export function TerminalPage({ api, id }: PageProps): VNode {
  const [round, setRound] = useState(0);
  const box = useRef<HTMLElement>(null);
  const { rows, line, end } = useTerminal({ api, id }, box, round);
  const field = useRef<HTMLTextAreaElement>(null);
  // Only when the page opens or is started again: who left the terminal while it loaded is not taken back.
  useEffect(() => field.current?.focus(), [round]);
  useEffect(() => {
    const gone = new AbortController();
    const { signal } = gone;
    // Whoever clicks means to write, unless it was to mark something.
    const write = (): unknown => window.getSelection()?.isCollapsed !== false && field.current?.focus();
    box.current?.addEventListener("click", write, { signal });
    const scroll = ({ deltaY }: WheelEvent): unknown => line?.terminal.scrollLines(Math.sign(deltaY) * 3);
    box.current?.addEventListener("wheel", scroll, { signal, passive: true });
    return () => gone.abort();
  }, [line]);
  return (
    <section class="terminal" aria-label="Terminal">
      <h1 class="unseen">Terminal</h1>
      <textarea
        ref={field}
        class="unseen"
        aria-label="Keyboard of the terminal; Control-Shift-Escape leaves it"
        autocomplete="off"
        spellcheck={false}
        onKeyDown={(event) => {
          if (event.key === "Escape" && event.ctrlKey && event.shiftKey) return event.currentTarget.blur();
          if (event.isComposing || line === undefined) return;
          const sequence = sequenceOf(event, line.terminal.modes.applicationCursorKeysMode);
          if (sequence === undefined) return;
          event.preventDefault();
          line.type(sequence);
        }}
        // What a key does not say: words of an input method, of a keyboard on glass, of dictation.
        onInput={(event) => {
          if (!(event as InputEvent).isComposing) takeText(event.currentTarget, line);
        }}
        onCompositionEnd={(event) => takeText(event.currentTarget, line)}
        onPaste={(event) => {
          event.preventDefault();
          line?.paste(event.clipboardData?.getData("text/plain") ?? "");
        }}
      />
      <section ref={box} class="terminal-screen" aria-label="Screen">
        {rows.map((runs, index) => (
          <Row key={`row-${index}`} runs={runs} />
        ))}
      </section>
      {end !== "" && (
        <p role="status" class="terminal-end">
          {end}{" "}
          <button type="button" onClick={() => setRound((now) => now + 1)}>
            Start it again
          </button>
        </p>
      )}
    </section>
  );
}

function Row({ runs }: { readonly runs: readonly Run[] }): VNode {
  return (
    <div class="terminal-row">
      {runs.map(({ text, look }, index) => (
        <span key={`run-${index}`} class="terminal-run" style={look}>
          {text}
        </span>
      ))}
    </div>
  );
}

function takeText(field: HTMLTextAreaElement, line: TerminalLine | undefined): void {
  if (field.value !== "") line?.type(field.value);
  field.value = "";
}

interface Shown {
  readonly rows: readonly (readonly Run[])[];
  readonly line: TerminalLine | undefined;
  readonly end: string;
}

/** One program for as long as this page is open; a new one for every `round`. */
function useTerminal({ api, id }: PageProps, box: RefObject<HTMLElement | null>, round: number): Shown {
  const [shown, setShown] = useState<Shown>({ rows: [], line: undefined, end: "" });
  useEffect(() => {
    const screen = box.current;
    if (screen === null) return undefined;
    let made: TerminalLine | undefined;
    let isGone = false;
    let isDrawing = false;
    const draw = (): void => {
      isDrawing = false;
      const line = made;
      if (!isGone && line !== undefined) setShown((now) => ({ ...now, line, rows: rowsOf(line.terminal) }));
    };
    // Once per picture, and not while the program is in the middle of one.
    const later = (): void => {
      if (isDrawing || made?.terminal.modes.synchronizedOutputMode === true) return;
      isDrawing = true;
      requestAnimationFrame(draw);
    };
    const resized = new ResizeObserver(() => made?.resize(sizeOf(screen)));
    resized.observe(screen);
    setShown({ rows: [], line: undefined, end: "" });
    void Promise.all([import("@xterm/headless"), api.access.ensure()]).then(
      ([{ Terminal }]) => {
        if (isGone) return;
        const size = sizeOf(screen);
        const terminal = new Terminal({
          cols: size.columns,
          rows: size.rows,
          scrollback: 5000,
          allowProposedApi: true,
        });
        made = new TerminalLine(terminal, size, {
          access: api.access,
          session: id,
          onScreen: later,
          onEnd: (end) => !isGone && setShown((now) => ({ ...now, end })),
        });
        setShown((now) => ({ ...now, line: made }));
      },
      (error: Error) => !isGone && setShown((now) => ({ ...now, end: error.message })),
    );
    return () => {
      isGone = true;
      resized.disconnect();
      made?.close();
    };
  }, [api, id, round]);
  return shown;
}

/** How many letters fit, by the width of a hundred of them. */
function sizeOf(screen: HTMLElement): Size {
  const probe = document.createElement("span");
  probe.className = "terminal-probe";
  probe.textContent = "m".repeat(100);
  screen.append(probe);
  const { width, height } = probe.getBoundingClientRect();
  probe.remove();
  const { clientWidth, clientHeight } = screen;
  const fitting = (space: number, one: number): number => Math.max(2, Math.min(1000, Math.floor(space / one)));
  return { columns: fitting(clientWidth - 16, width / 100), rows: fitting(clientHeight - 12, height) };
}
