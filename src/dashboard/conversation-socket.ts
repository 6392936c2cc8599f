import type { WebSocket } from "ws";
import { recoveryWords, type SessionId } from "#conversation";
import { describe, UserError } from "#foundation/errors";
import { linkSignals, onAbort } from "#foundation/lifecycle/abort";
import { parseJson } from "#foundation/text/json";
import { applyInput, type OpenSession, readInput, type SessionEvent, toWire } from "#session";
import type { DashboardDeps } from "./deps.ts";
import { transcriptPage } from "./transcript.ts";

export interface ConversationRequest {
  /** Absent begins a new conversation. */
  readonly resume: string | undefined;
  /** The number of the last event the page has. */
  readonly afterSeq: number | undefined;
  /** The page saw a turn run when the server of before ended: it goes on. */
  readonly isCutOff: boolean;
}

type Deps = Pick<DashboardDeps, "sessions" | "store" | "clock" | "logger" | "cwd">;

type Frame = Readonly<Record<string, unknown>>;

const messagesAtFirst = 200;
/** A page that leaves so much unread is sent away; it comes back by itself and says what it has. */
const mostUnreadBytes = 16_777_216;

/** One conversation of a page, over the wire form of sessions, until the socket closes. */
export async function serveConversation(
  socket: WebSocket,
  request: ConversationRequest,
  { deps, signal }: { readonly deps: Deps; readonly signal: AbortSignal },
): Promise<void> {
  const gone = new AbortController();
  const closed = new Promise<void>((resolve) => {
    socket.once("close", () => {
      gone.abort();
      resolve();
    });
  });
  const early: string[] = [];
  let take = (text: string): void => void early.push(text);
  socket.on("message", (data) => take(String(data)));
  socket.on("error", (error) => deps.logger.debug("a socket of the dashboard failed", { error: describe(error) }));
  const session = await open(request, deps);
  if (session === undefined) return socket.close(4404, "There is no such conversation.");
  await using _loan = session;
  const line = new Line(socket, session, deps);
  using _subscription = session.subscribe((event, seq) => line.tell(event, seq), { afterSeq: request.afterSeq ?? -1 });
  // Of several pages that come back, one makes it go on; the others see it run.
  if (request.isCutOff && !session.info.isBusy) session.continueTurn();
  const until = linkSignals(signal, gone.signal);
  // The page is to find the turn cut off, not ended: whoever opens the conversation next can go on with it.
  using _end = onAbort(signal, () => {
    socket.terminate();
    if (session.info.isBusy) session.breakOff();
  });
  take = (text) => void line.obey(text, until);
  for (const text of early) take(text);
  await closed;
}

async function open(
  { resume, afterSeq }: Pick<ConversationRequest, "resume" | "afterSeq">,
  deps: Deps,
): Promise<OpenSession | undefined> {
  const id = resume === undefined ? undefined : await deps.sessions.find(resume);
  if (resume !== undefined && id === undefined) {
    // A conversation in which nothing was said is not stored: it begins again.
    if (afterSeq === undefined) return undefined;
  }
  return await deps.sessions.borrow({ resume: id, source: "dashboard", cwd: deps.cwd, isInteractive: true });
}

/** What goes over one socket, in both directions. */
class Line {
  readonly #socket: WebSocket;
  readonly #session: OpenSession;
  readonly #deps: Deps;
  #sessionId: SessionId | undefined;
  #messageCount = 0;
  #isSending = false;
  /** What has to be sent, in order; a transcript is read first. */
  #later: (Frame | Promise<Frame>)[] = [];

  constructor(socket: WebSocket, session: OpenSession, deps: Deps) {
    this.#socket = socket;
    this.#session = session;
    this.#deps = deps;
  }

  tell(event: SessionEvent, seq: number): void {
    const { info } = this.#session;
    const isElsewhere = event.type === "session-changed" && this.#hasTurnedBack();
    if (event.type === "resync" || isElsewhere) this.#later.push(this.#history(info.id));
    if (event.type === "turn-end") this.#messageCount = this.#session.history.length;
    this.#sessionId = info.id;
    const wire = toWire(event, { sessionId: info.id, seq, atMs: this.#deps.clock.now() });
    this.#later.push(event.type === "recovery-start" ? { ...wire, text: recoveryWords(event) } : wire);
    if (!this.#isSending) void this.#sendAll();
  }

  /** Carries out what the page asks for; whatever comes of it is answered under its `ref`. */
  async obey(text: string, signal: AbortSignal): Promise<void> {
    const parsed = parseJson(text);
    const value: unknown = parsed.ok ? parsed.value : undefined;
    const ref: unknown = typeof value === "object" && value !== null ? Reflect.get(value, "ref") : undefined;
    try {
      const input = readInput(value);
      this.#send({ type: "reply", ...(await applyInput(this.#session, input, signal)), ref: input.ref });
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof UserError))
        this.#deps.logger.error("an input of the dashboard failed", { error: describe(error) });
      const message = error instanceof UserError ? error.message : "Unexpected error; see the log.";
      this.#send({ type: "reply", kind: "refused", message, ref });
    }
  }

  /** Another conversation began in its place, or its end was taken back. */
  #hasTurnedBack(): boolean {
    const { info, history } = this.#session;
    return this.#sessionId !== undefined && (info.id !== this.#sessionId || history.length < this.#messageCount);
  }

  /** From the store: what the turn that runs has said so far is in it already. */
  async #history(id: SessionId): Promise<Frame> {
    this.#messageCount = this.#session.history.length;
    const all = await this.#deps.store.messages.conversation(id);
    return { type: "history", session_id: id, ...transcriptPage(all, all.length, messagesAtFirst) };
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true;
    try {
      for (let frame = this.#later.shift(); frame !== undefined; frame = this.#later.shift())
        this.#send(frame instanceof Promise ? await frame : frame);
    } catch (error) {
      this.#deps.logger.error("a transcript could not be read", { error: describe(error) });
      this.#socket.close(1011, "The transcript could not be read.");
    } finally {
      this.#isSending = false;
    }
  }

  #send(frame: Frame): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#socket.send(JSON.stringify(frame));
    if (this.#socket.bufferedAmount > mostUnreadBytes) this.#socket.terminate();
  }
}
