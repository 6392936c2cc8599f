import { type Message, textOf } from "#conversation";
import { mayRepeat, Toolbelt, taskList } from "#tools";
import type { AgentDeps } from "../agent-deps.ts";
import type { ContextKeeper } from "../context-keeper.ts";
import type { LoopDeps } from "../loop.ts";
import { accountedMoney } from "./accounted-money.ts";
import { createAttempt } from "./attempt.ts";
import { LoopGuard } from "./loop-guard.ts";
import { contextFitter } from "./prepare-turn.ts";
import { factsFor } from "./request/reply-facts.ts";
import type { RequestBuilder } from "./request/request.ts";
import { createRunTools } from "./run-tools.ts";
import type { SteerBox } from "./steer-box.ts";
import type { Turn } from "./turn.ts";
import type { TurnFigures } from "./turn-figures.ts";
import { createWrapUp } from "./wrap-up.ts";

/** What lives as long as the agent and every turn uses. */
export interface LoopContext {
  readonly deps: AgentDeps;
  readonly keeper: ContextKeeper;
  readonly requests: RequestBuilder;
  readonly steer: SteerBox;
  /** Endpoints that said they cannot stream. */
  readonly withoutStreaming: Set<string>;
}

/** Everything the loop needs for one turn. */
export function loopDeps(
  turn: Turn,
  { userText, figures }: { readonly userText: string; readonly figures: TurnFigures },
  parts: LoopContext,
): LoopDeps {
  const { deps, requests } = parts;
  const { conversation, model, observers } = deps;
  let learned: (() => void | Promise<void>)[] = [];
  const calling = {
    stream: model.stream.bind(model),
    money: accountedMoney(deps, turn, figures),
    clock: deps.clock,
    logger: deps.logger,
    meter: conversation.meter,
    buildRequest: (now: Turn) => requests.next(now),
    gate: model.gate,
    onRateLimits: model.onRateLimits?.bind(model),
  };
  return {
    attempt: createAttempt({
      ...calling,
      hooks: observers.hooks ?? {},
      factsFor: (now) => factsFor(now, { listing: deps.tools.listing(), userText }),
      succeeded: async (now) => {
        for (const act of learned.splice(0)) await act();
        await model.succeeded?.(now.target);
      },
    }),
    runTools: toolRunner(userText, parts),
    mayRepeat: (call) => mayRepeat(deps.tools.listing().tools.get(call.function.name)),
    fitContext: contextFitter(userText, deps, parts.keeper),
    wrapUp: deps.settings.endsSilently === true ? () => Promise.resolve(spent) : createWrapUp(calling),
    explain: model.explain,
    remedies: model.remedies({
      keeper: parts.keeper,
      stopStreaming: (baseUrl) => parts.withoutStreaming.add(baseUrl),
      afterSuccess: (act) => {
        learned = [...learned, act];
      },
    }),
    sleep: (ms, signal) => deps.clock.sleep(ms, signal),
  };
}

const spent = { exitReason: "max_iterations_reached" } as const;

function toolRunner(userText: string, { deps, steer }: LoopContext): LoopDeps["runTools"] {
  return createRunTools({
    belt: () => toolbelt(deps),
    context: (now) => ({
      taskId: now.taskId,
      sessionId: now.sessionId,
      scope: deps.scope,
      userTask: userText,
      untrusted: deps.conversation.untrusted,
      heardHere: () => heardHere(now.history),
      agent: deps.tools.abilities().with(taskList, deps.conversation.todos),
    }),
    observers: (now) => deps.tools.observers(now),
    hintsFor: (call, args) => deps.tools.hintsFor(call.function.name, args),
    steer,
    guard: new LoopGuard(),
    logger: deps.logger,
    maxDelegations: deps.settings.maxConcurrentChildren,
  });
}

/** What tools of this machine said, as far as it is recent; words of strangers are theirs already. */
function heardHere(history: readonly Message[]): readonly string[] {
  return history
    .filter(({ role, untrusted }) => role === "tool" && untrusted === undefined)
    .slice(-200)
    .map(({ content }) => textOf(content));
}

function toolbelt({ tools, clock, logger }: AgentDeps): Toolbelt {
  return new Toolbelt({
    listing: tools.listing(),
    files: tools.files,
    clock,
    logger,
    redact: (text) => tools.redact(text),
    limits: tools.limits,
    pauseMs: tools.pauseMs,
  });
}
