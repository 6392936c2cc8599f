import path from "node:path";
import {
  type AgentDeps,
  type AgentSettings,
  type Conversation,
  describeBreak,
  NestedHints,
  PrefixWatch,
  type PromptSource,
  type Remedy,
  type RemedyContext,
  standardRemedies,
  startDirectory,
  type Transcript,
  type TurnHooks,
} from "#agent";
import type { Config } from "#config";
import type { AgentEvents, Message, SessionId } from "#conversation";
import { describe } from "#foundation/errors";
import { ensureDir, writeFileAtomic } from "#foundation/files/files";
import type { Logger } from "#foundation/files/logger";
import { never } from "#foundation/lifecycle/abort";
import type { Clock } from "#foundation/time/clock";
import {
  type AccountGate,
  CredentialRecovery,
  type FallbackEvent,
  type ModelFailure,
  type ModelRequest,
  type Models,
  type RateLimitBook,
  type Target,
} from "#model";
import type { Plugins } from "#plugins";
import type { Listing, SessionScope, Tool, Toolbox } from "#tools";
import type { ChosenModel } from "./choose-model.ts";
import type { SessionMemory } from "./open-memory.ts";
import { budgetedCalls } from "./session-money.ts";
import type { TaintWatch } from "./taint.ts";

/** Who an agent works for. */
interface AgentPlace {
  readonly scope: SessionScope;
  readonly cwd: string;
  readonly sessionId: SessionId;
  readonly sessionKey: SessionId;
  /** The session at the root of a delegation. */
  readonly treeId?: SessionId;
  readonly spentUsd: number;
  readonly events: AgentEvents;
}

/** Everything one agent is made of. */
export interface AgentParts {
  readonly place: AgentPlace;
  readonly conversation: Conversation;
  readonly transcript: Transcript;
  readonly prompt: PromptSource;
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly models: Models;
  readonly toolbox: Toolbox;
  readonly plugins: Plugins;
  readonly chosen: ChosenModel;
  readonly memory: SessionMemory | undefined;
  readonly taint: TaintWatch;
  /** What the model is shown; replaced when the tools change. */
  listing(): Listing;
  readonly agentTools: ReadonlyMap<string, Tool["execute"]>;
  readonly accountGate: AccountGate;
  readonly rateLimits: RateLimitBook;
  /** A model was left for the next of the chain, by this agent or one that works for it. */
  onFallback(sessionId: SessionId, event: FallbackEvent): void;
  /** Where requests that nothing could save are written. */
  readonly dumpFolder: string;
  readonly keeper?: AgentDeps["keeper"];
  /** Messages in front of every conversation, never stored. */
  readonly prefill: readonly Message[];
  /** Text for the system prompt that is never stored: the user's own, personality, skills loaded for the session. */
  ephemeral(): string | undefined;
  readonly settings: AgentSettings;
  readonly afterTurn?: AgentDeps["afterTurn"];
}

/** The parts of an agent, put where the loop looks for them. */
export function agentDeps(parts: AgentParts): AgentDeps {
  const { place, conversation, clock, logger, models, toolbox } = parts;
  const hints = new NestedHints({
    startDirectory: startDirectory(parts.env, place.cwd),
    log: logger,
    seen: NestedHints.seenIn(conversation.history),
  });
  return {
    conversation,
    clock,
    logger,
    settings: parts.settings,
    scope: place.scope,
    stream: (request, signal) => models.stream(request, signal),
    money: budgetedCalls({
      models,
      spentUsd: place.spentUsd,
      sessionId: place.sessionKey,
      emit: (event) => place.events.emit(event),
      ...(place.treeId === undefined ? {} : { treeId: place.treeId }),
    }),
    transcript: parts.transcript,
    prompt: parts.prompt,
    tools: {
      listing: () => parts.listing(),
      files: toolbox.files({ taskId: place.sessionKey, scope: place.scope }),
      pauseMs: parts.config.agent.tool_delay * 1_000,
      redact: (text) => toolbox.redact(text),
      agentTools: parts.agentTools,
      observers: (turn) => [
        ...toolbox.observers({
          scope: place.scope,
          taskId: turn.taskId,
          sessionId: turn.sessionId,
          turn: place.treeId === undefined ? turn.userUid : undefined,
          signal: turn.signal,
        }),
        parts.taint.observer(() => parts.listing()),
      ],
      hintsFor: (tool, args) => hints.hintsFor(tool, args, never),
    },
    hooks: hooksOf(parts),
    ...(parts.memory === undefined ? {} : { memory: parts.memory.manager.turnMemory }),
    prefill: parts.prefill,
    ephemeral: () => parts.ephemeral(),
    remedies: (context) => remediesFor(parts, conversation, context),
    ...(parts.keeper === undefined ? {} : { keeper: parts.keeper }),
    events: place.events,
    onRequest: watchPrefix(logger),
    onRateLimits: (target, headers) => void parts.rateLimits.note(target.provider, headers, clock.now()),
    onLost: (request, failure) => dumpRequest(request, failure, parts),
    gate: parts.accountGate,
    images: {
      describe: (url, signal) => describeImage(url, parts, signal),
      isAlwaysDescribed: parts.config.display.image_mode === "describe",
    },
    ...(parts.afterTurn === undefined ? {} : { afterTurn: parts.afterTurn }),
  };
}

const usualStreamRetries = 2;

/** What is tried when something goes wrong, in this conversation. */
export function remediesFor(parts: AgentParts, conversation: Conversation, context: RemedyContext): readonly Remedy[] {
  const { config, clock, logger, models, chosen, toolbox } = parts;
  return standardRemedies(
    {
      conversation,
      clock,
      logger,
      maxAttempts: config.agent.api_max_retries,
      // Who says nothing about broken connections means them with all other troubles.
      ...(config.timeouts.stream_retries === usualStreamRetries
        ? {}
        : { streamRetries: config.timeouts.stream_retries }),
      onRateLimit: config.fallback.on_rate_limit,
      resolve: (wish, signal) => models.resolve(wish, signal),
      credentialRecovery: (target) => recoveryFor(target, chosen),
      canRotate: (target) => target.provider === chosen.target.provider && chosen.credentialCount > 1,
      freshConnections: () => models.connections.fresh(),
      onFallback: (event) => {
        logger.info("fallback", { ...event });
        parts.onFallback(conversation.sessionId, event);
      },
      resultFiles: toolbox.files({ taskId: parts.place.sessionKey, scope: parts.place.scope }),
      isAggregator: (target) => models.context.registry.find(target.provider)?.isAggregator === true,
      onWindowLearned: (target, window) => learnWindow(target, window, parts),
    },
    context,
  );
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
function hooksOf({ plugins, toolbox, place }: AgentParts): TurnHooks {
  const hooks = plugins.hooksFor(place.scope.key);
  const platform = place.scope.source;
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
    onTurnEnd: async ({ sessionId, completed, interrupted, model }) => {
      if (place.treeId === undefined) await toolbox.settleFiles(place.scope.key);
      await hooks.notify("on_session_end", { session_id: sessionId, completed, interrupted, model, platform }, never);
    },
  };
}

/** Images in words, for a model that takes none. */
async function describeImage(url: string, { place }: AgentParts, signal: AbortSignal): Promise<string | undefined> {
  const prompt =
    "Describe this image for somebody who cannot see it: what it shows, and every text in it word for word.";
  const answer = await place.scope.auxiliary.ask("vision", { prompt, images: [url], maxTokens: 1_000 }, signal);
  return answer.kind === "text" ? answer.text : undefined;
}

/** For whoever has to find out why: the request without its secrets. */
async function dumpRequest(
  { system, messages, tools, options, target }: ModelRequest,
  failure: ModelFailure,
  { toolbox, dumpFolder, clock }: AgentParts,
): Promise<void> {
  const { provider, model, protocol, baseUrl } = target;
  const dump = { failure, target: { provider, model, protocol, baseUrl }, options, system, tools, messages };
  const stamp = new Date(clock.now()).toISOString().replace(/[:.]/g, "-");
  await ensureDir(dumpFolder, 0o700);
  const file = path.join(dumpFolder, `request_dump_${stamp}.json`);
  await writeFileAtomic(file, toolbox.redact(JSON.stringify(dump, null, 2)), { mode: 0o600 });
}

/** Kept for later sessions; failing to keep it costs one more refusal some day. */
function learnWindow({ model, baseUrl }: Target, tokens: number, { models, logger }: AgentParts): void {
  models.catalog.learned
    .learn({ model, baseUrl, tokens }, never)
    .catch((error: unknown) => logger.warn("a learned context window could not be kept", { error: describe(error) }));
}
