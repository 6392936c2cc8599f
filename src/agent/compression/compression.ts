import type { AgentEvent, Message, ToolDefinition } from "#conversation";
import { quietly } from "#foundation/files/quietly";
import type { ModelRequest, Target } from "#model";
import type { Tool } from "#tools";
import type { ContextKeeper, ContextKeeperDeps } from "../context-keeper.ts";
import type { Turn } from "../turn/turn.ts";
import type { Subject } from "./apply.ts";
import type { CompressionRequest, CompressionResult, RunDeps } from "./compression-run.ts";
import { type EngineModel, engineModel, isSameModel, thresholdOf } from "./engine.ts";
import { engineTools } from "./engine-choice.ts";
import { criticalShare, notice, noticeTexts } from "./notices.ts";

export interface CompressionDeps extends RunDeps {
  /** `compression.enabled`; a person may compress all the same. */
  readonly isEnabled: boolean;
  /** It is held in a chat, where nobody watches how long it has grown and it may go on for months. */
  readonly isInChat?: boolean | undefined;
  /** What the model is offered, for measuring between turns. */
  tools(): readonly ToolDefinition[];
  /** Messages in front of every conversation, never stored. */
  readonly prefill: readonly Message[];
  /** Events between turns; during a turn they go through the turn. */
  emit(event: AgentEvent): void;
}

const noticeShare = 0.85;
const hygieneShare = 0.85;
const hygieneMessages = 400;
const smallestHygiene = 4;
const preflightPasses = 3;
const tightestAttempt = 3;

/** Keeps one conversation within its window: decides when to compress, and holds what is remembered between compressions. */
export class Compression {
  readonly #deps: CompressionDeps;
  readonly #pacing = new Pacing();
  #toldModel: EngineModel | undefined;
  #isNoticeArmed = true;

  constructor(deps: CompressionDeps) {
    this.#deps = deps;
  }

  /** After every answer of the model the engine hears what it took. */
  note(event: AgentEvent): void {
    if (event.type === "usage") this.#deps.engine.updateFromResponse(event.usage);
  }

  /** The tools the engine brings, none under a name that is taken. */
  engineTools(taken: ReadonlySet<string>): readonly Tool[] {
    return engineTools(this.#deps.engine, { taken, logger: this.#deps.logger });
  }

  /** A session is opened with this engine. */
  async start(signal: AbortSignal): Promise<void> {
    const { engine, conversation, logger } = this.#deps;
    const session = { model: engineModel(conversation.target) };
    const tell = () => engine.onSessionStart?.(conversation.sessionId, session);
    await quietly("the context engine", tell, { logger, signal });
  }

  /** The session really ends; a split by compression is no end. */
  async end(signal: AbortSignal): Promise<void> {
    const { engine, conversation, logger } = this.#deps;
    const tell = () => engine.onSessionEnd?.(conversation.sessionId, conversation.history);
    await quietly("the context engine", tell, { logger, signal });
  }

  /** Compresses when the threshold is reached: up to three times before a turn, once between its steps. */
  async fit(subject: Subject, moment: "preflight" | "step"): Promise<void> {
    const { engine, isEnabled } = this.#deps;
    if (!isEnabled) return;
    this.#tellModel(subject.target);
    const passes = moment === "preflight" ? preflightPasses : 1;
    for (let attempt = 1; attempt <= passes; attempt += 1) {
      const tokens = await this.#tokens(subject);
      this.#noticeNearThreshold(subject, tokens);
      const isFirst = attempt === 1 && moment === "preflight";
      const isEarly = isFirst && engine.shouldCompressPreflight?.(subject.history);
      const isOverdue = isFirst && this.#isOverdue(subject, tokens);
      if (!engine.shouldCompress(tokens) && isEarly !== true && !isOverdue) return;
      if (attempt === 1 ? this.#pacing.blocks(fillOf(subject, tokens)) : this.#pacing.isSuspended) return;
      const trigger = isOverdue ? "hygiene" : moment === "preflight" ? "preflight" : "in_loop";
      const { kind } = await this.#run(subject, { trigger, attempt });
      if (isOverdue) await this.#noticeStillFull(subject);
      if (kind !== "smaller") return;
    }
  }

  /** Whatever the engine says: a chat does not begin a turn in a window that is nearly full, or with hundreds of messages. */
  #isOverdue({ history, target }: Subject, tokens: number): boolean {
    if (this.#deps.isInChat !== true || history.length < smallestHygiene) return false;
    return tokens >= hygieneShare * target.limits.contextWindow || history.length >= hygieneMessages;
  }

  async #noticeStillFull(subject: Subject): Promise<void> {
    const window = subject.target.limits.contextWindow;
    const tokens = await this.#tokens(subject);
    if (tokens >= criticalShare * window)
      notice(subject, "warn", noticeTexts.stillFull(Math.round((100 * tokens) / window)));
  }

  /** The provider refused the size. True when the history is smaller now; what does not help is tried again keeping less. */
  async relieve(subject: Subject, attempt: number): Promise<boolean> {
    if (!this.#deps.isEnabled) return false;
    this.#tellModel(subject.target);
    for (let tightness = attempt; tightness <= Math.max(attempt, tightestAttempt); tightness += 1)
      if ((await this.#run(subject, { trigger: "error", attempt: tightness })).kind === "smaller") return true;
    return false;
  }

  /** `/compress [topic]`. Only between turns. */
  async compressNow(focusTopic: string | undefined, signal: AbortSignal): Promise<CompressionResult> {
    const subject = this.#idle(signal);
    this.#tellModel(subject.target);
    return await this.#run(subject, { trigger: "manual", attempt: 1, focusTopic: focusTopic?.trim() || undefined });
  }

  async #run(subject: Subject, request: CompressionRequest): Promise<CompressionResult> {
    const { CompressionRun } = await import("./compression-run.ts");
    const run = await CompressionRun.begin(subject, request, this.#deps);
    const result = await run.run();
    const { saved } = run;
    if (saved === undefined) return result;
    if (this.#pacing.note({ ...fillOf(subject, saved.tokens), savingsPct: saved.savingsPct }))
      notice(subject, "warn", noticeTexts.suspended);
    return result;
  }

  async #tokens(subject: Subject): Promise<number> {
    return this.#deps.conversation.meter.current(await subject.request());
  }

  #noticeNearThreshold(subject: Subject, tokens: number): void {
    const threshold = thresholdOf(this.#deps.engine);
    const isNear = tokens >= noticeShare * threshold;
    if (isNear && this.#isNoticeArmed && tokens < threshold)
      notice(subject, "info", noticeTexts.nearThreshold(tokens, threshold));
    this.#isNoticeArmed = !isNear;
  }

  /** Thresholds follow the model in use and what is known about its window. */
  #tellModel(target: Target): void {
    const told = engineModel(target);
    if (this.#toldModel !== undefined && isSameModel(this.#toldModel, told)) return;
    this.#toldModel = told;
    this.#deps.engine.updateModel?.(told);
  }

  /** The conversation between its turns. */
  #idle(signal: AbortSignal): Subject {
    const { conversation, prompt, prefill, emit } = this.#deps;
    const messages = (): readonly Message[] => conversation.sent.view(conversation.history, conversation.target);
    return {
      get history() {
        return conversation.history;
      },
      get sessionId() {
        return conversation.sessionId;
      },
      get target() {
        return conversation.target;
      },
      signal,
      emit,
      request: async () => ({
        system: await prompt.text(),
        tools: this.#deps.tools(),
        messages: [...prefill, ...messages()],
      }),
      replace: (history) => {
        conversation.history = history;
      },
      moveTo: (sessionId) => {
        conversation.sessionId = sessionId;
      },
    };
  }
}

/** The compression of a conversation, as the turns of its agent use it. */
export function createContextKeeper(compression: Compression): (deps: ContextKeeperDeps) => ContextKeeper {
  return ({ previewRequest }) => {
    const attempts = new WeakMap<Turn, number>();
    return {
      fit: (turn, moment) => compression.fit(turnSubject(turn, previewRequest), moment),
      relieve: (turn) => {
        const attempt = (attempts.get(turn) ?? 0) + 1;
        attempts.set(turn, attempt);
        return compression.relieve(turnSubject(turn, previewRequest), attempt);
      },
    };
  };
}

function turnSubject(turn: Turn, preview: (turn: Turn) => Promise<ModelRequest>): Subject {
  return {
    get history() {
      return turn.history;
    },
    get sessionId() {
      return turn.sessionId;
    },
    get target() {
      return turn.target;
    },
    taskId: turn.taskId,
    signal: turn.signal,
    emit: (event) => turn.emit(event),
    replace: (history, cause) => turn.replaceHistory(history, cause),
    moveTo: (sessionId) => turn.moveTo(sessionId),
    request: () => preview(turn),
  };
}

function fillOf({ target }: Subject, tokens: number): Fill {
  return { tokens, window: target.limits.contextWindow, model: `${target.provider}/${target.model}` };
}

const smallestSavingPct = 10;
const allowedInRow = 2;
const growthThatLifts = 1.2;
/** After a compression the context grows by this share of the window before the next one. */
const growthShare = 1 / 8;

interface Fill {
  readonly tokens: number;
  readonly window: number;
  readonly model: string;
}

/** Keeps compressions apart, and stops automatic ones that no longer help until there is a reason to try again. */
export class Pacing {
  #inRow = 0;
  #last: Fill | undefined;
  isSuspended = false;

  /** True when this one was the last straw: automatic compression is suspended from now on. */
  note(after: Fill & { readonly savingsPct: number }): boolean {
    this.#last = after;
    this.#inRow = after.savingsPct < smallestSavingPct ? this.#inRow + 1 : 0;
    const wasSuspended = this.isSuspended;
    this.isSuspended = this.#inRow >= allowedInRow;
    return this.isSuspended && !wasSuspended;
  }

  /** Whether an automatic compression should be left out. Suspended ones may run again when the context grew by a fifth or under another model. */
  blocks(now: Fill): boolean {
    const last = this.#last;
    if (last === undefined || last.model !== now.model) return this.#forget();
    if (this.isSuspended) return now.tokens < growthThatLifts * last.tokens || this.#forget();
    return now.tokens < last.tokens + growthShare * last.window && now.tokens < criticalShare * now.window;
  }

  #forget(): false {
    this.#inRow = 0;
    this.#last = undefined;
    this.isSuspended = false;
    return false;
  }
}
