import { quietly } from "#foundation/files/quietly";
import type { AgentDeps } from "../agent-deps.ts";
import type { ContextKeeper } from "../context-keeper.ts";
import type { LoopDeps } from "../loop.ts";
import { additionText } from "../prompt/additions.ts";
import type { Turn } from "./turn.ts";

interface PrepareDeps {
  readonly deps: AgentDeps;
  readonly userText: string;
}

/** Before each step; before the first one, the turn is also prepared: prompt, room, then the words of others. */
export function contextFitter(userText: string, deps: AgentDeps, keeper: ContextKeeper): LoopDeps["fitContext"] {
  let isPrepared = false;
  return async (turn) => {
    if (isPrepared) return keeper.fit(turn, "step");
    isPrepared = true;
    await openPrompt(turn, deps);
    // A turn that goes on was prepared before its first reply.
    if (turn.steps.taken > 1) return keeper.fit(turn, "step");
    await keeper.fit(turn, "preflight");
    await gatherContext(turn, { deps, userText });
  };
}

/** The prompt of the session; building it for the first time is what starts one. */
async function openPrompt(turn: Turn, deps: AgentDeps): Promise<void> {
  await deps.prompt.source.text();
  if (deps.conversation.history.length > 0) return;
  const facts = { sessionId: turn.sessionId, model: turn.target.model };
  await quietly(
    "a hook at the start of a session",
    () => deps.observers.hooks?.onSessionStart?.(facts),
    reporting(turn, deps),
  );
}

/** Once per turn, before its first request: the words of plugins and recalled memory, for all its steps. */
async function gatherContext(turn: Turn, { deps, userText }: PrepareDeps): Promise<void> {
  const { hooks } = deps.observers;
  const { turns: memory } = deps.memory;
  const { history, signal } = turn;
  const asked = history.find(({ uid }) => uid === turn.userUid);
  // An earlier process gathered it; asking again could give other words.
  if (asked?.sent?.suffix !== undefined) return;
  const isFirstTurn = history[0] === asked;
  const facts = { sessionId: turn.sessionId, model: turn.target.model, userText, history, isFirstTurn };
  const report = reporting(turn, deps);
  const context = await quietly("a hook at the start of a turn", () => hooks?.turnContext?.(facts, signal), report);
  await quietly("telling memory of a turn", () => memory?.onTurnStart(userText), report);
  const recalled = await quietly("recalling memory", () => memory?.recall(userText, signal), report);
  const suffix = additionText({ recall: recalled, hookContext: context });
  if (suffix !== "") await turn.sendWith(suffix);
}

function reporting(turn: Turn, deps: AgentDeps) {
  return { logger: deps.logger, signal: turn.signal };
}
