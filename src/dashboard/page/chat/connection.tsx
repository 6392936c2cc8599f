import { type Access, LockedError } from "../shell/access.tsx";
import type { Frame } from "./frames.tsx";

export type ConnectionState = "connecting" | "open" | "waiting" | "refused";

export interface ConnectionOptions {
  readonly access: Access;
  /** What to ask for when it connects: the session, the last event it has, and whether a turn runs as far as it knows. */
  resume(): { readonly session: string | undefined; readonly after: number | undefined; readonly isBusy: boolean };
  onFrames(frames: readonly Frame[]): void;
  onState(state: ConnectionState, reason?: string): void;
}

const shortestWaitMs = 300;
const longestWaitMs = 10_000;
const mostCuts = 3;

/** The socket of one conversation. It comes back by itself, and goes on after the last event that arrived. */
export class Connection {
  readonly #options: ConnectionOptions;
  #socket: WebSocket | undefined;
  #waitMs = shortestWaitMs;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isOver = false;
  #arrived: Frame[] = [];
  #unsent: string[] = [];
  #ref = 0;
  /** The token of the start whose events it has: numbers of another start mean nothing. */
  #known: string | undefined;
  /** How often a turn was found cut off since one ended: what ends the server again and again is not tried for ever. */
  #cuts = 0;
  readonly #waiting = new Map<string, (reply: Extract<Frame, { readonly type: "reply" }>) => void>();

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#connect();
  }

  /** Sends an input of the wire form; its reply arrives among the frames. */
  send(input: Readonly<Record<string, unknown>>): void {
    const text = JSON.stringify({ v: 1, ...input });
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(text);
    else this.#unsent.push(text);
  }

  /** Sends an input and gives its reply to the caller alone; it never comes when the socket breaks. */
  ask(
    input: Readonly<Record<string, unknown>>,
    onReply: (reply: Extract<Frame, { readonly type: "reply" }>) => void,
  ): void {
    this.#ref += 1;
    const ref = `r${this.#ref}`;
    this.#waiting.set(ref, onReply);
    this.send({ ...input, ref });
  }

  close(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#socket?.close();
  }

  #connect(): void {
    if (this.#isOver) return;
    const { access, onState } = this.#options;
    const { token } = access;
    const socket = new WebSocket(this.#address(), ["hermes.v1", `bearer.${token}`]);
    this.#socket = socket;
    onState("connecting");
    socket.addEventListener("open", () => {
      this.#known = token;
      this.#waitMs = shortestWaitMs;
      onState("open");
      for (const text of this.#unsent.splice(0)) socket.send(text);
    });
    socket.addEventListener("message", ({ data }) => this.#take(JSON.parse(String(data)) as Frame));
    socket.addEventListener("close", ({ code, reason }) => this.#lost(code, reason));
  }

  #address(): URL {
    const { access, resume } = this.#options;
    const { session, after, isBusy } = resume();
    const isSameStart = this.#known === undefined || this.#known === access.token;
    const url = new URL("api/chat", document.baseURI);
    url.hash = "";
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    if (session !== undefined) url.searchParams.set("session", session);
    if (after !== undefined) url.searchParams.set("after", String(isSameStart ? after : -1));
    if (!isSameStart && isBusy && this.#cuts < mostCuts) {
      this.#cuts += 1;
      url.searchParams.set("cut", "1");
    }
    return url;
  }

  /** A broken socket does not say why: asking first tells a server that is away from one that was started anew. */
  async #connectAgain(): Promise<void> {
    try {
      await this.#options.access.ensure();
      this.#connect();
    } catch (error) {
      if (this.#isOver) return;
      if (error instanceof LockedError) this.#options.onState("refused", error.message);
      else this.#waitAndConnect();
    }
  }

  #waitAndConnect(): void {
    this.#timer = setTimeout(() => void this.#connectAgain(), this.#waitMs);
    this.#waitMs = Math.min(this.#waitMs * 2, longestWaitMs);
  }

  #lost(code: number, reason: string): void {
    this.#waiting.clear();
    if (this.#isOver) return;
    if (code === 4404) {
      this.#options.onState("refused", reason);
      return;
    }
    this.#options.onState("waiting");
    this.#waitAndConnect();
  }

  /** Frames are handed on once per picture: two hundred pieces a second are drawn sixty times at most. */
  #take(frame: Frame): void {
    if (frame.type === "reply" && frame.ref !== undefined) {
      const onReply = this.#waiting.get(frame.ref);
      this.#waiting.delete(frame.ref);
      onReply?.(frame);
      return;
    }
    if (frame.type === "turn-end") this.#cuts = 0;
    this.#arrived.push(frame);
    if (this.#arrived.length > 1) return;
    const hand = (): void => {
      if (this.#arrived.length > 0) this.#options.onFrames(this.#arrived.splice(0));
    };
    // A page in the background draws nothing, but must not fall behind.
    if (document.hidden) setTimeout(hand, 100);
    else requestAnimationFrame(hand);
  }
}
