import type { TerminalListener, TuiTerminal } from "../terminal/terminal.ts";
import type { InputGate } from "./input-gate.ts";
import type { Screen } from "./screen.ts";

interface HoldDeps {
  readonly terminal: TuiTerminal;
  readonly gate: InputGate;
  readonly screen: Screen;
  readonly paint: () => void;
  readonly onEnd: () => void;
}

/** The UI's hold on the terminal; it can be lent to another program and comes back as it was. */
export class TerminalHold implements Disposable {
  readonly #deps: HoldDeps;
  readonly #listener: TerminalListener;

  constructor(deps: HoldDeps) {
    this.#deps = deps;
    this.#listener = {
      onInput: (data) => deps.gate.receive(data),
      onResize: () => deps.paint(),
      onEnd: () => deps.onEnd(),
    };
  }

  take(): void {
    this.#deps.terminal.start(this.#listener);
  }

  /** Our rows go away while another program draws, and are drawn again afterwards. */
  async lend<T>(use: () => Promise<T>): Promise<T> {
    const { terminal, gate, screen, paint } = this.#deps;
    screen.leave();
    terminal.stop();
    gate.isClosed = true;
    try {
      return await use();
    } finally {
      gate.isClosed = false;
      this.take();
      screen.forget();
      paint();
    }
  }

  [Symbol.dispose](): void {
    this.#deps.terminal.stop();
  }
}
