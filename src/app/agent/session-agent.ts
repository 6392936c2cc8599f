import {
  Agent,
  type AgentDeps,
  type AgentSettings,
  type ContextKeeper,
  type ContextKeeperDeps,
  Conversation,
  createPromptSource,
  describeBreak,
  NestedHints,
  PrefixWatch,
  standardRemedies,
  startDirectory,
  type TurnHooks,
} from "#agent";
import type { Config } from "#config";
import type { Clock } from "#foundation/clock";
import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/logger";
import { CredentialRecovery, type ModelRequest, parseFallbackChain, type Target } from "#model";
import type { AgentSpec } from "#session";
import type { Listing, Tool } from "#tools";
import type { Toolbox } from "../toolbox.ts";
import type { Models } from "../wire-model.ts";
import type { ChosenModel } from "./choose-model.ts";
import type { SessionMemory } from "./open-memory.ts";
import { budgetedCalls } from "./session-money.ts";
import type { TaintWatch } from "./taint.ts";

/** Everything one agent is made of. */
export interface SessionParts {
  readonly spec: AgentSpec;
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly models: Models;
  readonly toolbox: Toolbox;
  readonly chosen: ChosenModel;
  readonly memory: SessionMemory | undefined;
  readonly taint: TaintWatch;
  /** What the model is shown; replaced when the tools change. */
  listing(): Listing;
  readonly agentTools: ReadonlyMap<string, Tool["execute"]>;
  gatherPrompt: Parameters<typeof createPromptSource>[0]["gather"];
  keeper(conversation: Conversation, deps: ContextKeeperDeps): ContextKeeper;
  /** Text for the system prompt that is never stored: personality, skills loaded for the session. */
  ephemeral(): string | undefined;
  settings(): AgentSettings;
  readonly afterTurn: AgentDeps["afterTurn"];
}

export function openSessionAgent(parts: SessionParts): { readonly agent: Agent; readonly conversation: Conversation } {
  const { spec, config, clock, logger, models, toolbox, chosen } = parts;
  const { entries, warnings } = parseFallbackChain(config);
  for (const warning of warnings) logger.warn(warning);
  const conversation = new Conversation({
    sessionId: spec.sessionId,
    rootSessionId: spec.rootSessionId,
    history: spec.history,
    target: chosen.target,
    fallbackChain: entries,
  });
  const hints = new NestedHints({
    startDirectory: startDirectory(parts.env, spec.wish.cwd),
    log: logger,
    seen: NestedHints.seenIn(spec.history),
  });
  const agent = new Agent({
    conversation,
    clock,
    logger,
    settings: parts.settings(),
    surface: spec.wish.source,
    sessionKey: spec.rootSessionId,
    stream: (request, signal) => models.stream(request, signal),
    money: budgetedCalls({ models, spentUsd: spec.spentUsd, sessionId: spec.rootSessionId, emit: spec.emit }),
    transcript: spec.transcript,
    prompt: createPromptSource({
      hasHistory: spec.history.length > 0,
      load: () => spec.prompt.load(),
      save: (text, record) => spec.prompt.save(text, record),
      gather: parts.gatherPrompt,
    }),
    tools: {
      listing: parts.listing,
      files: toolbox.files(spec.rootSessionId),
      redact: (text) => toolbox.redact(text),
      agentTools: parts.agentTools,
      observers: (turn) => [
        ...toolbox.observers({ taskId: turn.taskId, sessionId: turn.sessionId, signal: turn.signal }),
        parts.taint.observer(parts.listing),
      ],
      hintsFor: (tool, args) => hints.hintsFor(tool, args, new AbortController().signal),
    },
    hooks: hooksOf(parts),
    ...(parts.memory === undefined ? {} : { memory: parts.memory.manager.turnMemory }),
    ephemeral: () => parts.ephemeral(),
    remedies: (context) =>
      standardRemedies(
        {
          conversation,
          clock,
          logger,
          maxAttempts: config.agent.api_max_retries,
          onRateLimit: config.fallback.on_rate_limit,
          resolve: (wish, signal) => models.resolve(wish, signal),
          credentialRecovery: (target) => recoveryFor(target, chosen),
          canRotate: (target) => target.provider === chosen.target.provider && chosen.credentialCount > 1,
          freshConnections: () => models.connections.fresh(),
          onFallback: (event) => logger.info("fallback", { ...event }),
          onWindowLearned: (target, window) => learnWindow(target, window, parts),
        },
        context,
      ),
    keeper: (deps) => parts.keeper(conversation, deps),
    emit: spec.emit,
    onRequest: watchPrefix(logger),
    ...(parts.afterTurn === undefined ? {} : { afterTurn: parts.afterTurn }),
  });
  return { agent, conversation };
}

function recoveryFor(target: Target, chosen: ChosenModel): CredentialRecovery | undefined {
  if (chosen.isDemo) return undefined;
  const isPrimary = target.provider === chosen.target.provider;
  return new CredentialRecovery({
    provider: target.provider,
    providerLabel: target.providerLabel,
    handle: target.credential,
    ...(isPrimary && chosen.pool !== undefined ? { pool: chosen.pool } : {}),
  });
}

/** The contract of prompt caching: a request extends the one before. What breaks it is written down with its cause. */
function watchPrefix(logger: Logger): (request: ModelRequest, cause: string | undefined) => void {
  const watch = new PrefixWatch();
  return (request, cause) => {
    const report = watch.observe(request, cause);
    if (report.kind === "break")
      logger.info("the request does not extend the last one", { what: describeBreak(report) });
  };
}

/** Plugins watch a turn through the names their guide promises. */
function hooksOf({ toolbox, spec }: SessionParts): TurnHooks {
  const { hooks } = toolbox;
  const platform = spec.wish.source;
  const never = new AbortController().signal;
  return {
    onSessionStart: ({ sessionId, model }) =>
      hooks.notify("on_session_start", { session_id: sessionId, model, platform }, never),
    turnContext: async (facts, signal) =>
      hooks.has("pre_llm_call")
        ? hooks.turnContext(
            {
              session_id: facts.sessionId,
              user_message: facts.userText,
              conversation_history: facts.history,
              is_first_turn: facts.isFirstTurn,
              model: facts.model,
              platform,
              sender_id: null,
            },
            signal,
          )
        : undefined,
    afterAnswer: async (facts) =>
      hooks.has("post_llm_call")
        ? hooks.notify(
            "post_llm_call",
            {
              session_id: facts.sessionId,
              user_message: facts.userText,
              assistant_response: facts.answer,
              conversation_history: facts.history,
              model: facts.model,
              platform,
            },
            never,
          )
        : undefined,
    onTurnEnd: ({ sessionId, completed, interrupted, model }) =>
      hooks.notify("on_session_end", { session_id: sessionId, completed, interrupted, model, platform }, never),
  };
}

/** Kept for later sessions; failing to keep it costs one more refusal some day. */
function learnWindow({ model, baseUrl }: Target, tokens: number, { models, logger }: SessionParts): void {
  models.catalog.learned
    .learn({ model, baseUrl, tokens }, new AbortController().signal)
    .catch((error: unknown) => logger.warn("a learned context window could not be kept", { error: describe(error) }));
}
