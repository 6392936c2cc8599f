import type { AssistantMessage, Message, ToolDefinition, Usage } from "#conversation";
import { defined } from "#foundation/defined";
import type { Logger } from "#foundation/files/logger";
import type { CallCost } from "../catalog/cost.ts";
import { explain } from "../failures/explain.ts";
import type { ModelFailure } from "../failures/failure.ts";
import type { ModelRequest, RequestOptions } from "../request.ts";
import type { TargetRequest } from "../resolve/context.ts";
import type { Target } from "../target.ts";
import type { AutoFacts } from "./auto-chain.ts";
import type { CallDeps } from "./call.ts";
import { type Candidate, describeCandidate } from "./candidate.ts";
import { Limiter } from "./limiter.ts";
import { type AuxiliaryPlan, type AuxiliaryRequest, planTask } from "./plan.ts";
import { type AuxiliarySettings, type AuxiliaryTask, taskDefaults, timeoutMsOf } from "./task.ts";

export interface AuxiliaryInput extends AuxiliaryRequest {
  readonly system?: string;
  readonly messages: readonly Message[];
  readonly tools?: readonly ToolDefinition[];
  readonly maxTokens?: number;
  readonly temperature?: number;
  readonly reasoning?: RequestOptions["reasoning"];
  readonly responseSchema?: RequestOptions["responseSchema"];
}

export type AuxiliaryOutcome =
  | {
      readonly kind: "done";
      readonly text: string;
      readonly message: AssistantMessage;
      readonly target: Target;
      readonly usage?: Usage;
      readonly cost?: CallCost;
    }
  /** No model could do it. The main turn goes on without: the caller says what it does instead. */
  | {
      readonly kind: "failed";
      readonly code: string;
      readonly message: string;
      readonly hint: string;
      readonly failure?: ModelFailure;
    };

export interface AuxiliaryDeps extends Omit<CallDeps, "purpose"> {
  /** Read for every call: settings may change while a session runs. */
  settings(): AuxiliarySettings;
  auto(): AutoFacts;
  resolve(
    wanted: TargetRequest,
    signal: AbortSignal,
  ): Promise<
    | { readonly kind: "target"; readonly target: Target }
    | { readonly kind: "failure"; readonly code: string; readonly message: string; readonly hint: string }
  >;
  readonly logger: Logger;
}

interface PlannedModel {
  readonly provider: string;
  readonly model: string | undefined;
  readonly source: string;
  /** It is the very model the conversation uses now. */
  readonly isMain: boolean;
}

export interface Auxiliary {
  run(task: AuxiliaryTask, input: AuxiliaryInput, signal: AbortSignal): Promise<AuxiliaryOutcome>;
  /** The model a task would use now, without asking anybody; undefined when nothing is set up. */
  planned(task: AuxiliaryTask): PlannedModel | undefined;
  /** The model that could be asked for a task now: it is set up for it and has its credential. Asks no model. */
  reachable(task: AuxiliaryTask, signal: AbortSignal): Promise<Target | undefined>;
}

/** Side calls of one session. Failures are returned, told once per task, and never thrown; only aborts and bugs are. */
export function createAuxiliary(deps: AuxiliaryDeps): Auxiliary {
  const limiters = new Map<AuxiliaryTask, Limiter>();
  const failedTasks = new Set<AuxiliaryTask>();
  const toldWords = new Set<string>();
  const tell = (message: string): void => {
    if (!toldWords.has(message)) deps.warn(message);
    toldWords.add(message);
  };
  const plan = (task: AuxiliaryTask, wanted?: AuxiliaryRequest): AuxiliaryPlan =>
    planTask(task, deps.settings(), { auto: deps.auto(), ...defined({ wanted }) });

  const run = async (task: AuxiliaryTask, input: AuxiliaryInput, signal: AbortSignal): Promise<AuxiliaryOutcome> => {
    const callDeps: CallDeps = { ...deps, purpose: task, warn: tell };
    const outcome = await tryCandidates({ task, input, plan: plan(task, input) }, { deps, callDeps }, signal);
    if (outcome.kind === "failed") {
      deps.logger.warn("side call failed", { task, code: outcome.code, reason: outcome.message });
      if (!failedTasks.has(task)) tell(`${outcome.message} ${outcome.hint}`);
      failedTasks.add(task);
    }
    return outcome;
  };

  return {
    planned: (task) => {
      const [first] = plan(task).candidates;
      if (first === undefined) return undefined;
      const isMain = first.kind === "open" && isSameModel(first.target, deps.auto().main);
      return { ...describeCandidate(first), source: first.source, isMain };
    },
    reachable: async (task, signal) => {
      for (const candidate of plan(task).candidates) {
        const opened = await open(candidate, deps, signal);
        if (opened.kind === "open") return opened.target;
      }
      return undefined;
    },
    run: (task, input, signal) => {
      const limit = deps.settings()[task]?.max_concurrency ?? taskDefaults[task].maxConcurrency;
      if (limit === undefined) return run(task, input, signal);
      const limiter = limiters.get(task) ?? new Limiter();
      limiters.set(task, limiter);
      return limiter.run(limit, () => run(task, input, signal), signal);
    },
  };
}

function isSameModel(one: Target, other: Target | undefined): boolean {
  return one.provider === other?.provider && one.model === other.model && one.baseUrl === other.baseUrl;
}

interface Work {
  readonly task: AuxiliaryTask;
  readonly input: AuxiliaryInput;
  readonly plan: AuxiliaryPlan;
}

type Failed = Extract<AuxiliaryOutcome, { kind: "failed" }>;

async function tryCandidates(
  work: Work,
  { deps, callDeps }: { readonly deps: AuxiliaryDeps; readonly callDeps: CallDeps },
  signal: AbortSignal,
): Promise<AuxiliaryOutcome> {
  const { task, plan } = work;
  for (const warning of plan.warnings) deps.logger.warn(warning);
  let last: Failed | undefined;
  for (const candidate of plan.candidates) {
    const opened = await open(candidate, deps, signal);
    if (opened.kind === "failed") {
      // In an automatic chain a provider without a key is nothing to speak of.
      if (!plan.isAuto) last ??= opened;
      deps.logger.debug("side call: candidate skipped", {
        task,
        ...describeCandidate(candidate),
        reason: opened.message,
      });
      continue;
    }
    const { target } = opened;
    const timeoutMs = timeoutMsOf(task, deps.settings()[task]);
    const { callTarget } = await import("./call.ts");
    const outcome = await callTarget(
      requestFor(work, seeing(work, target), deps),
      { timeoutMs, deps: callDeps },
      signal,
    );
    if (outcome.kind === "answered") return { ...outcome, kind: "done", target };
    last = failedCall(task, { target, failure: outcome.failure, profiles: deps.auto().profiles });
    if (!movesOn(outcome.failure)) break;
    deps.logger.info("side call: next candidate", { task, from: target.provider, kind: outcome.failure.kind });
  }
  return last ?? nothingSetUp(task);
}

/** Going elsewhere helps unless the task itself is refused: for its content, its size, or its cost. */
function movesOn(failure: ModelFailure): boolean {
  return failure.mayFallBack && failure.kind !== "content_filtered";
}

async function open(
  candidate: Candidate,
  deps: AuxiliaryDeps,
  signal: AbortSignal,
): Promise<{ kind: "open"; target: Target } | Failed> {
  if (candidate.kind === "open") return candidate;
  const resolved = await deps.resolve(candidate.wanted, signal);
  if (resolved.kind === "target") return { kind: "open", target: resolved.target };
  const { code, message, hint } = resolved;
  return { kind: "failed", code, message, hint };
}

/** A model that somebody chose for looking at images is shown them, also where nobody else knows that it can see. */
function seeing({ task, plan }: Work, target: Target): Target {
  if (task !== "vision" || plan.isAuto) return target;
  return { ...target, quirks: { ...target.quirks, supportsImages: true } };
}

function requestFor({ task, input }: Work, target: Target, deps: AuxiliaryDeps): ModelRequest {
  const own = deps.settings()[task];
  const temperature = input.temperature ?? own?.temperature;
  const extraBody = own?.extra_body;
  return {
    target,
    system: input.system ?? "",
    messages: input.messages,
    tools: input.tools ?? [],
    options: {
      stream: true,
      initiator: "agent",
      ...defined({
        maxOutputTokens: input.maxTokens,
        temperature,
        reasoning: input.reasoning,
        responseSchema: input.responseSchema,
      }),
      ...(extraBody === undefined || Object.keys(extraBody).length === 0 ? {} : { extraBody }),
    },
  };
}

/** Names the task, the model and the provider, and the variable or command that would help. */
function failedCall(
  task: AuxiliaryTask,
  at: { readonly target: Target; readonly failure: ModelFailure; readonly profiles: AutoFacts["profiles"] },
): Failed {
  const { target, failure } = at;
  const profile = at.profiles.find((one) => one.id === target.provider);
  const { source, masked } = target.credential;
  const provider = { authKind: "api_key", keyEnv: [], ...profile, label: target.providerLabel } as const;
  const { code, message, hint } = explain(failure, { ...provider, source, masked });
  return { kind: "failed", code, message: `${labelOf(task)} with ${target.model} failed. ${message}`, hint, failure };
}

function nothingSetUp(task: AuxiliaryTask): Failed {
  const choose = `hermes config set auxiliary.${task}.provider <provider>`;
  const failed = { kind: "failed", code: "no_provider_configured" } as const;
  if (task !== "vision")
    return { ...failed, message: `No model can be used for ${labelOf(task)}.`, hint: `Choose one with: ${choose}` };
  return {
    ...failed,
    message: "This model is not known to see images, and no other one that does is set up.",
    hint: `If it does: hermes config set display.image_mode native. To use another one: ${choose}`,
  };
}

function labelOf(task: AuxiliaryTask): string {
  return task.replaceAll("_", " ");
}
