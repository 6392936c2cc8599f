import type { CommandSurface } from "../commands/command.ts";
import type { AnswerTimes, SessionSettings } from "../settings.ts";

const terminals: ReadonlySet<string> = new Set(["cli", "tui", "acp", "api-server", "dashboard", "mcp"]);
const jobs: ReadonlySet<string> = new Set(["cron", "tool", "subagent", "batch"]);

/** Which of the two families of surfaces a source belongs to. */
export function surfaceOf(source: string): CommandSurface {
  return terminals.has(source) || jobs.has(source) ? "cli" : "gateway";
}

/** The question stands before the eyes of the person; elsewhere it is sent, and takes its time. */
const atTheMachine: ReadonlySet<string> = new Set(["cli", "tui", "acp"]);

/** How long approvals and questions of this source wait for their answer. */
export function answerTimes(source: string, { here, elsewhere }: SessionSettings["answerTimes"]): AnswerTimes {
  return atTheMachine.has(source) ? here : elsewhere;
}

/** Why a session that is put away is over; undefined for chats, which go on another day. */
export function endReasonOf(source: string): string | undefined {
  if (terminals.has(source)) return "user_exit";
  return jobs.has(source) ? "completed" : undefined;
}
