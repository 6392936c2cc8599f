import type { AgentDeps } from "./agent-deps.ts";
import { additionText } from "./prompt/additions.ts";
import type { Turn } from "./turn.ts";

/** What happens once per turn, before its first request: the prompt, the words of plugins, recalled memory. */
export async function prepareTurn(
  turn: Turn,
  { deps, userText }: { readonly deps: AgentDeps; readonly userText: string },
): Promise<void> {
  const { hooks, memory, prompt, conversation } = deps;
  const isFirstTurn = conversation.history.length === 0;
  await prompt.text();
  const facts = { sessionId: turn.sessionId, model: turn.target.model };
  if (isFirstTurn) await hooks?.onSessionStart?.(facts);
  const history = turn.history;
  const context = await hooks?.turnContext?.({ ...facts, userText, history, isFirstTurn }, turn.signal);
  memory?.onTurnStart(userText);
  const recalled = await memory?.recall(userText, turn.signal);
  const suffix = additionText({ recall: recalled, hookContext: context });
  if (suffix !== "") conversation.sent.set(turn.userUid, { suffix });
}
