import type { Message, TurnResult } from "#conversation";
import { onAbort } from "#foundation/lifecycle/abort";
import { Scope } from "#foundation/lifecycle/disposal";
import { KeyedMutex } from "#foundation/lifecycle/mutex";
import type { OpenOptions, OpenSession, SessionListener, SessionService } from "#session";
import type { Route, Store } from "#store";
import { ApiError } from "./api-error.ts";
import type { Caller } from "./callers.ts";
import type { MessageContent } from "./request/content.ts";

export interface TurnRequest {
  readonly caller: Caller;
  readonly system: string;
  readonly input: MessageContent;
  /** The conversation so far, of a client that keeps it; not beside `named`. */
  readonly history: readonly Message[];
  /** What the conversation is called. `resumes`: what is stored of it counts, and not `history`. */
  readonly named?: { readonly id: string; readonly resumes: boolean } | undefined;
  readonly model?: string | undefined;
  /** The caller puts what is asked before a person, and sends the answers. */
  readonly asks?: boolean | undefined;
}

/** A turn that runs. Disposing it stops it, if it still does, and lets its session go. */
export interface RunningTurn extends AsyncDisposable {
  readonly session: OpenSession;
  readonly ended: Promise<TurnResult>;
  interrupt(): void;
}

export interface TurnsDeps {
  readonly sessions: SessionService;
  readonly store: Store;
  /** Where commands of turns run. */
  readonly cwd: string;
}

const source = "api_server";

/** Turns for callers of the API: each in a session of theirs, one at a time where they share one. */
export class ApiTurns {
  readonly #deps: TurnsDeps;
  readonly #alone = new KeyedMutex<string>();
  /** Named sessions with a turn whose questions their callers answer. */
  readonly #asking = new Map<string, OpenSession>();

  constructor(deps: TurnsDeps) {
    this.#deps = deps;
  }

  /** Starts a turn; its events go to the listener from the first one on. */
  start(request: TurnRequest, listener: SessionListener, signal: AbortSignal): Promise<RunningTurn> {
    return this.#start({ request, isAwaited: false }, listener, signal);
  }

  async #start(
    { request, isAwaited }: { readonly request: TurnRequest; readonly isAwaited: boolean },
    listener: SessionListener,
    signal: AbortSignal,
  ): Promise<RunningTurn> {
    const scope = new Scope();
    try {
      const { named } = request;
      const key = named?.resumes === true ? keyOf(request.caller, named.id) : undefined;
      if (key !== undefined) scope.adopt(await this.#alone.lock(key, signal));
      const session = scope.adopt(await this.#open(request, key));
      const subscription = session.subscribe((event, seq) => {
        // Secrets are typed where Hermes runs; over HTTP none is asked for.
        if (event.type === "secret-request") session.answer(event.id, undefined);
        listener(event, seq);
      });
      scope.defer(() => subscription[Symbol.dispose]());
      if (key !== undefined && request.asks === true) {
        this.#asking.set(key, session);
        scope.defer(() => void this.#asking.delete(key));
      }
      const { ended } = await submit(session, { ...request.input, isAwaited });
      // The model is asked meanwhile; the answer waits for the name, since a client may use it at once.
      const isNamed = named === undefined ? Promise.resolve() : this.#name(request.caller, named.id, session);
      isNamed.catch(() => undefined);
      return {
        session,
        ended: Promise.all([ended, isNamed]).then(([result]) => result),
        interrupt: () => session.interrupt(),
        async [Symbol.asyncDispose]() {
          session.interrupt();
          await ended;
          await scope[Symbol.asyncDispose]();
        },
      };
    } catch (error) {
      await scope[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** A turn to its end, for a caller that waits for it; aborting stops it. */
  async run(request: TurnRequest, listener: SessionListener, signal: AbortSignal): Promise<TurnResult> {
    await using turn = await this.#start({ request, isAwaited: true }, listener, signal);
    using _stop = onAbort(signal, () => turn.interrupt());
    return await turn.ended;
  }

  /** The session of that name, while a turn in it may ask its caller. */
  asking(caller: Caller, name: string): OpenSession | undefined {
    return this.#asking.get(keyOf(caller, name));
  }

  async #open(
    { caller, system, history, model, asks = false }: TurnRequest,
    key: string | undefined,
  ): Promise<OpenSession> {
    const { sessions, store, cwd } = this.#deps;
    const options: OpenOptions = {
      source,
      cwd,
      userId: caller.userId,
      model,
      systemMessage: system === "" ? undefined : system,
      isInteractive: asks,
      moreToolsets: asks ? ["clarify"] : undefined,
    };
    const route = key === undefined ? undefined : await store.routes.get(key);
    const resume = route?.sessionId ?? (key === undefined ? undefined : await this.#owned(caller, key));
    if (resume !== undefined) return await sessions.borrow({ ...options, resume });
    return await sessions.open({ ...options, history: key === undefined ? history : [] });
  }

  /** A session that the caller names by its own id, where it is theirs. */
  async #owned(caller: Caller, key: string): Promise<Route["sessionId"] | undefined> {
    const { sessions, store } = this.#deps;
    const id = key.slice(keyOf(caller, "").length);
    const found = await store.sessions.get(id as Route["sessionId"]);
    if (found === undefined) return undefined;
    if (caller.userId !== undefined && found.userId !== caller.userId)
      throw new ApiError(404, "There is no such session.", { code: "session_not_found" });
    return await sessions.find(id);
  }

  async #name(caller: Caller, id: string, session: OpenSession): Promise<void> {
    const sessionKey = keyOf(caller, id);
    const known = await this.#deps.store.routes.get(sessionKey);
    if (known?.sessionId === session.info.id) return;
    const nowMs = Date.now();
    await this.#deps.store.routes.put({
      sessionKey,
      sessionId: session.info.id,
      platform: source,
      chatType: "api",
      userId: caller.userId,
      createdAtMs: known?.createdAtMs ?? nowMs,
      updatedAtMs: nowMs,
      details: { name: id },
    });
  }
}

function keyOf({ name }: Caller, id: string): string {
  return `api:${name}:${id}`;
}

async function submit(
  session: OpenSession,
  { text, images, isAwaited }: MessageContent & { readonly isAwaited: boolean },
): Promise<{ readonly ended: Promise<TurnResult> }> {
  const submission = await session.submit({ text, images, isAwaited, isPlain: true });
  if (submission.kind === "turn") return submission;
  const why = submission.kind === "refused" ? submission.message : submission.kind;
  throw new ApiError(409, `The session does not take the message: ${why}`, { code: "session_busy" });
}
