import type { ContextKeeper } from "../context-keeper.ts";
import type { TurnOutcome } from "../turn/outcome.ts";
import { describeProblem, type Problem } from "../turn/problem.ts";
import type { RemedyLimit, Turn } from "../turn/turn.ts";

export type Relief =
  /** The turn was changed: another attempt makes sense, after this wait. */
  | { readonly kind: "retry"; readonly waitMs: number }
  /** There is something to end the turn with after all. */
  | { readonly kind: "end"; readonly outcome: TurnOutcome };

/** One way out of one kind of trouble. */
export interface Remedy {
  readonly name: string;
  readonly limit: RemedyLimit;
  treats(problem: Problem, turn: Turn): boolean;
  /** Undefined: it could not help after all, the next one is asked. */
  apply(problem: Problem, turn: Turn): Promise<Relief | undefined>;
}

/** What remedies may do to the agent, beyond the turn. */
export interface RemedyContext {
  readonly keeper: ContextKeeper;
  /** The endpoint cannot stream: ask it for whole answers from now on. */
  stopStreaming(baseUrl: string): void;
  /** Done once a request has worked: what was guessed from an error is true then. */
  afterSuccess(act: () => void | Promise<void>): void;
}

export interface RecoveryDeps {
  readonly remedies: readonly Remedy[];
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** Only waits are counted for people: other remedies change something and are tried once. */
function attemptOf({ name, limit }: Remedy, turn: Turn) {
  if (limit.per !== "step" || limit.times < 2) return undefined;
  return { number: turn.usesOf(name, "step") + 1, of: limit.times + 1 };
}

/** Asks the remedies in order. Undefined: nobody could help. */
export async function recover(problem: Problem, turn: Turn, deps: RecoveryDeps): Promise<Relief | undefined> {
  turn.phase = "recovering";
  for (const remedy of deps.remedies) {
    if (!remedy.treats(problem, turn) || !turn.spend(remedy.name, remedy.limit)) continue;
    const relief = await remedy.apply(problem, turn);
    turn.signal.throwIfAborted();
    if (relief === undefined) continue;
    if (relief.kind === "end") return relief;
    turn.emit({
      type: "recovery-start",
      remedy: remedy.name,
      problem: describeProblem(problem),
      waitMs: relief.waitMs,
      provider: turn.target.providerLabel,
      attempt: attemptOf(remedy, turn),
    });
    if (relief.waitMs > 0) await deps.sleep(relief.waitMs, turn.signal);
    return relief;
  }
  return undefined;
}
