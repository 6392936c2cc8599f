import type { AgentEvent, Message, ToolDefinition } from "#conversation";
import type { Target } from "#model";
import type { MeteredRequest } from "../meter.ts";
import { type EngineModel, type EngineStatus, engineModel, isSameModel, statusOf, thresholdOf } from "./engine.ts";
import { guarded } from "./guarded.ts";
import { noticeTexts } from "./notices.ts";
import {
  type CompressionResult,
  criticalShare,
  keyOf,
  notice,
  Orchestration,
  type OrchestrationDeps,
} from "./orchestration.ts";
import { idleSubject, type Subject } from "./subject.ts";
import { Thrashing } from "./thrashing.ts";

export interface CompressionDeps extends OrchestrationDeps {
  /** `compression.enabled`; a person may compress all the same. */
  readonly isEnabled: boolean;
  /** What the model is offered, for measuring between turns. */
  tools(): readonly ToolDefinition[];
  readonly prefill?: readonly Message[];
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
  readonly #orchestration: Orchestration;
  readonly #thrashing = new Thrashing();
  #told: EngineModel | undefined;
  #isNoticeArmed = true;

  constructor(deps: CompressionDeps) {
    this.#deps = deps;
    this.#orchestration = new Orchestration(deps, this.#thrashing);
  }

  get status(): EngineStatus {
    return statusOf(this.#deps.engine);
  }

  /** After every answer of the model the engine hears what it took. */
  note(event: AgentEvent): void {
    if (event.type === "usage") this.#deps.engine.updateFromResponse(event.usage);
  }

  /** A session is opened with this engine. */
  async start(signal: AbortSignal): Promise<void> {
    const { engine, conversation } = this.#deps;
    const session = { model: engineModel(conversation.target) };
    const { logger } = this.#deps;
    const work = async () => engine.onSessionStart?.(conversation.sessionId, session);
    await guarded("the context engine", work, { logger, signal });
  }

  /** The session really ends; a split by compression is no end. */
  async end(signal: AbortSignal): Promise<void> {
    const { engine, conversation } = this.#deps;
    const { sessionId, history } = conversation;
    const { logger } = this.#deps;
    const work = async () => engine.onSessionEnd?.(sessionId, history);
    await guarded("the context engine", work, { logger, signal });
  }

  /** Another conversation begins in the same place. */
  reset(): void {
    this.#thrashing.reset();
    this.#isNoticeArmed = true;
    this.#deps.engine.onSessionReset?.();
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
      const isEarly = attempt === 1 && moment === "preflight" && engine.shouldCompressPreflight?.(subject.history);
      if (!engine.shouldCompress(tokens) && isEarly !== true) return;
      if (this.#thrashing.blocks({ tokens, model: keyOf(subject.target) })) return;
      const trigger = moment === "preflight" ? "preflight" : "in_loop";
      if ((await this.#orchestration.run(subject, { trigger, attempt })).kind !== "smaller") return;
    }
  }

  /** The provider refused the size. True when the history is smaller now; what does not help is tried again keeping less. */
  async relieve(subject: Subject, attempt: number): Promise<boolean> {
    if (!this.#deps.isEnabled) return false;
    this.#tellModel(subject.target);
    for (let tightness = attempt; tightness <= Math.max(attempt, tightestAttempt); tightness += 1)
      if ((await this.#orchestration.run(subject, { trigger: "error", attempt: tightness })).kind === "smaller")
        return true;
    return false;
  }

  /** `/compress [topic]`. Only between turns. */
  async compressNow(focusTopic: string | undefined, signal: AbortSignal): Promise<CompressionResult> {
    const subject = this.#idle(signal);
    this.#tellModel(subject.target);
    const topic = focusTopic?.trim() ?? "";
    return await this.#orchestration.run(subject, {
      trigger: "manual",
      attempt: 1,
      ...(topic === "" ? {} : { focusTopic: topic }),
    });
  }

  /** Between turns, where nobody watches (gateway): keeps a long-lived conversation usable. */
  async tidy(signal: AbortSignal): Promise<CompressionResult> {
    const subject = this.#idle(signal);
    const { history, target } = subject;
    if (!this.#deps.isEnabled || history.length < smallestHygiene) return { kind: "nothing" };
    this.#tellModel(target);
    const window = target.limits.contextWindow;
    const tokens = await this.#tokens(subject);
    if (tokens < hygieneShare * window && history.length < hygieneMessages) return { kind: "nothing" };
    if (this.#thrashing.blocks({ tokens, model: keyOf(target) })) return { kind: "nothing" };
    const result = await this.#orchestration.run(subject, { trigger: "hygiene", attempt: 1 });
    const after = await this.#tokens(subject);
    if (after >= criticalShare * window)
      notice(subject, "warn", noticeTexts.stillFull(Math.round((100 * after) / window)));
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
    const isSame = this.#told !== undefined && isSameModel(this.#told, told);
    if (isSame) return;
    this.#told = told;
    this.#deps.engine.updateModel?.(told);
  }

  #idle(signal: AbortSignal): Subject {
    const { conversation, prompt, prefill, emit } = this.#deps;
    const request = async (): Promise<MeteredRequest> => ({
      system: await prompt.text(),
      tools: this.#deps.tools(),
      messages: [...(prefill ?? []), ...conversation.sent.view(conversation.history, conversation.target)],
    });
    return idleSubject(conversation, { signal, emit, request });
  }
}
