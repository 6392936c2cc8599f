import type { Terminal } from "@xterm/headless";
import type { Access } from "../shell/access.tsx";

export interface TerminalLineOptions {
  readonly access: Access;
  readonly session: string | undefined;
  /** Something on the screen is different. */
  onScreen(): void;
  onEnd(reason: string): void;
}

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

const colors: Readonly<Record<number, string>> = { 10: "rgb:ecec/e9e9/f1f1", 11: "rgb:1717/1616/1a1a" };

/** The emulator and the socket that fills it. */
export class TerminalLine {
  readonly terminal: Terminal;
  readonly #socket: WebSocket;

  constructor(terminal: Terminal, size: Size, { access, session, onScreen, onEnd }: TerminalLineOptions) {
    this.terminal = terminal;
    const url = new URL("api/pty", document.baseURI);
    url.hash = "";
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    url.searchParams.set("columns", String(size.columns));
    url.searchParams.set("rows", String(size.rows));
    if (session !== undefined) url.searchParams.set("session", session);
    this.#socket = new WebSocket(url, ["hermes.v1", `bearer.${access.token}`]);
    this.#socket.addEventListener("message", ({ data }) => terminal.write(String(data)));
    this.#socket.addEventListener("close", ({ code, reason }) =>
      onEnd(code === 1000 ? "The program has ended." : reason || "The connection is gone."),
    );
    terminal.onWriteParsed(onScreen);
    terminal.onScroll(onScreen);
    // What the program asks the terminal about is answered by the emulator; colours are ours.
    terminal.onData((data) => this.type(data));
    for (const [code, color] of Object.entries(colors))
      terminal.parser.registerOscHandler(Number(code), (asked) => {
        if (asked === "?") this.type(`\u001b]${code};${color}\u001b\\`);
        return true;
      });
  }

  type(data: string): void {
    this.#send({ type: "input", data });
  }

  paste(text: string): void {
    const lines = text.replace(/\r?\n/g, "\r");
    // A paste that held its own end would go on as keys.
    const safe = lines.replaceAll("\u001b", "");
    this.type(this.terminal.modes.bracketedPasteMode ? `\u001b[200~${safe}\u001b[201~` : safe);
  }

  resize({ columns, rows }: Size): void {
    if (columns === this.terminal.cols && rows === this.terminal.rows) return;
    this.terminal.resize(columns, rows);
    this.#send({ type: "resize", columns, rows });
  }

  close(): void {
    this.#socket.close();
    this.terminal.dispose();
  }

  #send(input: Readonly<Record<string, unknown>>): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(input));
  }
}
