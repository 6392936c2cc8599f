import path from "node:path";
import type { AgentEvents } from "#conversation";
import { ensureDir, writeFileAtomic } from "#foundation/files/files";
import { quietly } from "#foundation/files/quietly";
import { never } from "#foundation/lifecycle/abort";
import {
  type CredentialPool,
  CredentialRecovery,
  explain,
  type ModelFailure,
  type ModelRequest,
  type ResolvedTarget,
  type Target,
} from "#model";
import type { SessionScope } from "#tools";
import type { AgentModel, AgentRecord } from "./agent-deps.ts";
import type { Conversation } from "./conversation.ts";
import type { AgentHost } from "./host.ts";
import { budgetedMoney } from "./money/budgeted-money.ts";
import type { Transcript } from "./ports.ts";
import type { Remedy, RemedyContext } from "./recovery/remedy.ts";
import { standardRemedies } from "./recovery/standard.ts";

/** The model an agent begins with, and the right to use it. */
export interface StartingModel {
  readonly target: Target;
  readonly pool: CredentialPool | undefined;
  /** More than one means that another can take over when one is refused. */
  readonly credentialCount: number;
  /** How it was found; it knows the address that belongs to another credential of the pool. */
  readonly resolution?: Pick<ResolvedTarget, "retarget"> | undefined;
  readonly isDemo: boolean;
}

export interface ModelChoices {
  readonly conversation: Conversation;
  readonly chosen: StartingModel;
  readonly events: AgentEvents;
  /** The session at the root of a delegation; the session itself when absent. */
  readonly treeId?: string | undefined;
  /** A failed attempt ends the turn: whoever is asked has remedies of its own, and may have acted already. */
  readonly triesOnce?: boolean | undefined;
}

const describeText =
  "Describe this image for somebody who cannot see it: what it shows, and every text in it word for word.";

/** How this agent calls models: through the money gate, with remedies for what goes wrong. */
export function assembleModel(host: AgentHost, scope: SessionScope, choices: ModelChoices): AgentModel {
  const { models, rateLimits, accountGate, machine } = host;
  const { config } = machine.loaded;
  const { treeId, conversation } = choices;
  const spender =
    treeId === undefined ? scope.spender : { ...scope.spender, sessionId: conversation.sessionId, treeId };
  return {
    stream: (request, signal) => models.stream(request, signal),
    money: budgetedMoney({
      gate: models.budget,
      quote: (target) => models.catalog.catalog.prices(models.question(target)),
      spender,
      purpose: "main",
      warn: (text) => choices.events.emit({ type: "notice", level: "warn", text }),
    }),
    remedies: (context) =>
      choices.triesOnce === true ? [] : remediesFor({ host, scope, chosen: choices.chosen }, conversation, context),
    gate: accountGate,
    explain: (failure, target) => {
      const profile = models.context.registry.find(target.provider);
      const { id, source, masked } = target.credential;
      const inUse = id === "none" ? {} : { source, masked };
      return explain(failure, { authKind: "api_key", keyEnv: [], ...profile, label: target.providerLabel, ...inUse });
    },
    onRateLimits: (target, headers) => void rateLimits.note(target.provider, headers, machine.clock.now()),
    images: {
      isAlwaysDescribed: config.display.image_mode === "describe",
      async describe(url, signal) {
        const request = { prompt: describeText, images: [url], maxTokens: 1_000 };
        const answer = await scope.auxiliary.ask("vision", request, signal);
        return answer.kind === "text" ? answer.text : undefined;
      },
      shrink: (url, signal) => host.tools.shrinkImage(url, largestImage, signal),
    },
  };
}

const usualStreamRetries = 2;
/** What most providers take; one that refuses even that is offered much less. */
const largestImage = 4_900_000;
const smallImage = 1_000_000;

interface RemedyHost {
  readonly host: AgentHost;
  readonly scope: SessionScope;
  readonly chosen: StartingModel;
}

/** What is tried when something goes wrong, in this conversation. */
export function remediesFor(
  { host, scope, chosen }: RemedyHost,
  conversation: Conversation,
  context: RemedyContext,
): readonly Remedy[] {
  const { models, machine, tools, records } = host;
  const { config } = machine.loaded;
  const { clock, logger } = machine;
  const { stream_retries } = config.timeouts;
  return standardRemedies(
    {
      conversation,
      clock,
      logger,
      maxAttempts: config.agent.api_max_retries,
      // Who says nothing about broken connections means them with all other troubles.
      ...(stream_retries === usualStreamRetries ? {} : { streamRetries: stream_retries }),
      onRateLimit: config.fallback.on_rate_limit,
      resolve: (request, signal) => models.resolve(request, signal),
      credentialRecovery: (target) => recoveryFor(target, chosen),
      canRotate: (target) => target.provider === chosen.target.provider && chosen.credentialCount > 1,
      shrinkImage: (url, signal) => tools.shrinkImage(url, smallImage, signal),
      freshConnections: () => models.connections.fresh(),
      onFallback: (event) => {
        logger.info("fallback", { ...event });
        records.fallback(conversation.sessionId, event);
      },
      resultFiles: tools.files({ taskId: scope.key, scope }),
      isAggregator: (target) => models.context.registry.find(target.provider)?.isAggregator === true,
      onWindowLearned: (target, tokens) => void learnWindow(target, tokens, host),
    },
    context,
  );
}

function recoveryFor(
  target: Target,
  { isDemo, target: primary, pool, resolution }: StartingModel,
): CredentialRecovery | undefined {
  if (isDemo) return undefined;
  const { provider, credential: handle } = target;
  const isPrimary = provider === primary.provider;
  return new CredentialRecovery({
    handle,
    ...(isPrimary && pool !== undefined ? { pool, retarget: resolution?.retarget } : {}),
  });
}

/** Kept for later sessions; failing to keep it costs one more refusal some day. */
async function learnWindow({ model, baseUrl }: Target, tokens: number, { models, machine }: AgentHost): Promise<void> {
  const learn = () => models.catalog.learned.learn({ model, baseUrl, tokens }, never);
  await quietly("keeping a learned context window", learn, { logger: machine.logger });
}

/** Messages go to the transcript; requests that nothing could save are dumped for whoever has to find out why. */
export function assembleRecord({ machine, tools }: AgentHost, transcript: Transcript): AgentRecord {
  const { clock, home } = machine;
  return {
    transcript,
    async onLost({ system, messages, tools: definitions, options, target }: ModelRequest, failure: ModelFailure) {
      const { provider, model, protocol, baseUrl } = target;
      const asked = { provider, model, protocol, baseUrl };
      const dump = { failure, target: asked, options, system, tools: definitions, messages };
      const stamp = new Date(clock.now()).toISOString().replace(/[:.]/g, "-");
      await ensureDir(home.sessions, 0o700);
      const file = path.join(home.sessions, `request_dump_${stamp}.json`);
      await writeFileAtomic(file, tools.redact(JSON.stringify(dump, null, 2)), { mode: 0o600 });
    },
  };
}
