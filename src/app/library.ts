import type { FlagSetting } from "#config";
import type { ApprovalChoice, JsonSchema, Message, SessionId, TurnResult } from "#conversation";
import { defined } from "#foundation/defined";
import { UserError } from "#foundation/errors";
import { never } from "#foundation/lifecycle/abort";
import { realImport } from "#foundation/process/import-module";
import {
  askForJson,
  type OpenOptions,
  type OpenSession,
  type SessionEvent,
  type SessionInfo,
  type StructuredResult,
} from "#session";
import { type Hermes, openHermes } from "./hermes.ts";
import { LibraryTasks, type TaskRequest } from "./library-tasks.ts";

declare const __HERMES_VERSION__: string | undefined;

export interface CreateHermesOptions {
  /** `provider:model`, or a model's name; the configured one when absent. `demo` needs no key. */
  readonly model?: string;
  readonly provider?: string;
  /** An endpoint of the program's own; `provider` is `custom` then, unless another is named. */
  readonly baseUrl?: string;
  /** The key for `baseUrl`; it goes nowhere else. */
  readonly apiKey?: string;
  readonly apiMode?: "chat_completions" | "codex_responses" | "anthropic_messages";
  /** Any setting by its key (`model.max_tokens`, `fallback_providers`, …), for this instance; wins over the files. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Where commands run and files are; the current folder when absent. */
  readonly cwd?: string;
  /** A Hermes home of its own; `HERMES_HOME` or `~/.hermes` when absent. */
  readonly home?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly toolsets?: readonly string[];
  readonly disabledToolsets?: readonly string[];
  readonly skills?: readonly string[];
  readonly maxSteps?: number;
  /** Instructions for a new conversation, besides those of the person. */
  readonly systemMessage?: string;
  /** No SOUL.md, memory or context files of the folder. */
  readonly ignoreRules?: boolean;
  /** The model is told the id of its session. */
  readonly passSessionId?: boolean;
  readonly saveTrajectories?: boolean;
  /** An id, the beginning of one, or a title. */
  readonly resume?: string;
  /** The conversation so far, where the program keeps it itself; instead of `resume`. It ends with an answer. */
  readonly history?: readonly Message[];
  /** Nothing is kept beyond this process. */
  readonly isIncognito?: boolean;
  /** Decides about flagged commands; without it they are denied, unless a person is there. */
  approve?(request: ApprovalQuestion): Promise<ApprovalChoice> | ApprovalChoice;
  /** A person sits at `session`, for example in a terminal, and is asked there. */
  readonly isInteractive?: boolean;
  onEvent?(event: SessionEvent): void;
}

export type ApprovalQuestion = Extract<SessionEvent, { type: "approval-request" }>;

/** A conversation inside another program. */
export interface HermesConversation extends AsyncDisposable {
  readonly info: SessionInfo;
  readonly session: OpenSession;
  /** The answer as text; null when there is none. */
  chat(message: string, options?: { readonly signal?: AbortSignal }): Promise<string | null>;
  /**
   * The whole outcome of a turn, with all messages of its session. With a schema the answer is JSON that fits it, read
   * into `output`; one that does not is asked for again, once. A history, a system message or a task id lets the turn
   * run beside this conversation, in a session of its own.
   */
  runConversation(
    input: TurnRequest,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<StructuredResult>;
}

export interface TurnRequest extends TaskRequest {
  readonly message: string;
  readonly images?: readonly string[];
  readonly outputSchema?: JsonSchema;
}

/** Opens Hermes as a library: the same agent, tools, memory and sessions as the program. */
export async function createHermes(options: CreateHermesOptions = {}): Promise<HermesConversation> {
  useRealImport();
  const cwd = options.cwd ?? process.cwd();
  const env = { ...process.env, ...options.env, ...defined({ HERMES_HOME: options.home }) };
  const hermes = await openHermes({
    env,
    cwd,
    version: typeof __HERMES_VERSION__ === "string" ? __HERMES_VERSION__ : "0.0.0-source",
    onNotice: (text) => options.onEvent?.({ type: "notice", level: "info", text }),
    flags: settingsOf(options),
    ...defined({ isIncognito: options.isIncognito }),
  });
  try {
    const resume = await sessionToResume(options.resume, hermes);
    const isInteractive = options.isInteractive ?? options.approve !== undefined;
    const open = async (request: Partial<OpenOptions>): Promise<OpenSession> => {
      // What a person in front of a terminal can do, they can do here, too.
      const source = options.isInteractive === true ? "cli" : "library";
      const own = { source, cwd, isInteractive, ...requestOf(options) };
      return listened(await hermes.sessions.open({ ...own, ...request }), options);
    };
    const session = await open(defined({ resume }));
    return conversationOver(session, { open, close: () => hermes[Symbol.asyncDispose]() });
  } catch (error) {
    await hermes[Symbol.asyncDispose]();
    throw error;
  }
}

/** Options that are settings by another name. */
function settingsOf(options: CreateHermesOptions): readonly FlagSetting[] {
  const { baseUrl, apiKey, apiMode, provider, model } = options;
  const endpoint =
    baseUrl === undefined
      ? {}
      : {
          "model.provider": provider ?? "custom",
          "model.base_url": baseUrl,
          ...defined({ "model.api_key": apiKey, "model.api_mode": apiMode, "model.default": model }),
        };
  return Object.entries({ ...endpoint, ...options.settings }).map(([key, value]) => ({ key, value, flag: key }));
}

/** What a session is asked for; an endpoint of the program's own stands in the settings already. */
function requestOf(options: CreateHermesOptions): Omit<OpenOptions, "source" | "cwd" | "isInteractive"> {
  const names = [
    "toolsets",
    "disabledToolsets",
    "skills",
    "maxSteps",
    "systemMessage",
    "ignoreRules",
    "passSessionId",
    "saveTrajectories",
    "history",
    ...(options.baseUrl === undefined ? (["model", "provider"] as const) : []),
  ] as const;
  return Object.fromEntries(names.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])));
}

async function sessionToResume(name: string | undefined, { sessions }: Hermes): Promise<SessionId | undefined> {
  if (name === undefined) return undefined;
  const found = await sessions.find(name);
  if (found !== undefined) return found;
  throw new UserError(`There is no session ${JSON.stringify(name)}.`, { hint: "List them with: hermes sessions list" });
}

/** The built library is one CommonJS file in which `import()` became a require; plugins need the real one. */
function useRealImport(): void {
  if (typeof __HERMES_VERSION__ !== "string" || Reflect.has(globalThis, realImport)) return;
  Reflect.set(globalThis, realImport, new Function("address", "return import(address)"));
}

/** Tells the program what happens in a session, and has it decide where it said how. */
function listened(session: OpenSession, options: CreateHermesOptions): OpenSession {
  const decide = async (event: ApprovalQuestion): Promise<void> => {
    let choice: ApprovalChoice = "deny";
    try {
      choice = (await options.approve?.(event)) ?? "deny";
    } finally {
      session.approve(event.id, choice);
    }
  };
  const isAsked = options.approve !== undefined || options.isInteractive !== true;
  // It ends with the session.
  session.subscribe((event) => {
    options.onEvent?.(event);
    if (isAsked && event.type === "approval-request") void decide(event);
  });
  return session;
}

function conversationOver(
  session: OpenSession,
  { open, close }: { open(request: Partial<OpenOptions>): Promise<OpenSession>; close(): PromiseLike<void> },
): HermesConversation {
  const tasks = new LibraryTasks(open);
  const run: HermesConversation["runConversation"] = async (input, { signal = never } = {}) => {
    signal.throwIfAborted();
    const { taskId, history, systemMessage } = input;
    if (taskId === undefined && history === undefined && systemMessage === undefined)
      return await runTurn(session, input, signal);
    // What has no history and no task of its own begins where this conversation is.
    const request = taskId === undefined ? { ...input, history: history ?? session.history } : input;
    return await tasks.with(request, (own) => runTurn(own, input, signal));
  };
  return {
    session,
    get info() {
      return session.info;
    },
    runConversation: run,
    chat: async (message, supplied) => (await run({ message }, supplied)).text ?? null,
    async [Symbol.asyncDispose]() {
      await tasks[Symbol.asyncDispose]();
      await session[Symbol.asyncDispose]();
      await close();
    },
  };
}

async function runTurn(session: OpenSession, input: TurnRequest, signal: AbortSignal): Promise<StructuredResult> {
  const stop = (): void => session.interrupt();
  signal.addEventListener("abort", stop, { once: true });
  try {
    const ask = async (text: string): Promise<TurnResult> => {
      const submission = await session.submit({ text, images: input.images });
      if (submission.kind === "turn") return await submission.ended;
      throw new Error(
        submission.kind === "refused" ? submission.message : "Another turn of this conversation is running.",
      );
    };
    return await (input.outputSchema === undefined
      ? ask(input.message)
      : askForJson(ask, input.message, input.outputSchema));
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
