import { truncateEnd } from "#foundation/text/text";
import type { PersonAnswer, Prompter, SessionScope } from "../contract/session-scope.ts";
import type { PinChange } from "./offered/pins.ts";

/** What the person said; `nobody` when nobody could be asked now. */
export type Consent = "yes" | "no" | "nobody";

const allow = "Allow in this conversation";
const useIt = "Use it from now on";
const shownDiff = 2_000;

/** May this server ask the model of the session? */
export async function confirmSampling(server: string, prompter: Prompter, signal: AbortSignal): Promise<Consent> {
  const text = `The MCP server ${server} wants to ask your model something, at your expense. It sees the answer.`;
  return consentOf(await prompter.question(text, [allow, "Deny"], signal), allow);
}

/** May a tool that is not what it was be used? That holds for the whole home, so only its owner is asked. */
export async function confirmChange(change: PinChange, scope: SessionScope, signal: AbortSignal): Promise<Consent> {
  if (scope.userId !== undefined) return "nobody";
  const { server, tool, diff, isNew } = change;
  const what = isNew === true ? "was not there when you first used it" : "is not what it was when you first used it";
  const text = [
    `The tool ${tool} of the MCP server ${server} ${what}. It is off until you agree.`,
    truncateEnd(diff, shownDiff),
  ].join("\n");
  return consentOf(await scope.prompter.question(text, [useIt, "Leave it off"], signal), useIt);
}

function consentOf(answer: PersonAnswer, wanted: string): Consent {
  if (answer.kind === "nobody") return "nobody";
  return answer.kind === "answer" && answer.text === wanted ? "yes" : "no";
}
