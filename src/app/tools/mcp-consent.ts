import { truncateEnd } from "#foundation/text/text";
import type { SurfaceRouter } from "../surface-router.ts";
import { fillForm } from "./elicit-form.ts";
import type { ToolboxPeople } from "./toolbox-options.ts";

type Consents = Required<Pick<ToolboxPeople, "elicit" | "confirmSampling" | "confirmMcpChange">>;

const allow = "Allow in this conversation";
const useIt = "Use it from now on";
const shownDiff = 2_000;

/**
 * What MCP servers need a person for. The question goes to the conversation that is using the server; a change of
 * a tool to the one that was used last. Where nobody can be asked, the answer is no.
 */
export function mcpConsent(surfaces: SurfaceRouter): Consents {
  return {
    async confirmSampling({ server, isTrusted, sessionKey }, signal) {
      if (isTrusted) return "yes";
      const text = `The MCP server ${server} wants to ask your model something, at your expense. It sees the answer.`;
      const answer = await surfaces.askPerson(sessionKey, { text, choices: [allow, "Deny"] }, signal);
      return answer.kind === "nobody" ? "nobody" : consentOf(answer, allow);
    },
    async confirmMcpChange({ server, tool, diff }, signal) {
      const text = [
        `The tool ${tool} of the MCP server ${server} is not what it was when you first used it. It is off until you agree.`,
        truncateEnd(diff, shownDiff),
      ].join("\n");
      const question = { text, choices: [useIt, "Leave it off"] };
      const answer = await surfaces.askPerson(surfaces.attended, question, signal);
      return answer.kind === "nobody" ? "nobody" : consentOf(answer, useIt);
    },
    elicit: (question, signal) =>
      fillForm(question, (text, choices) => surfaces.askPerson(question.sessionKey, { text, choices }, signal)),
  };
}

function consentOf(answer: { readonly kind: string; readonly text?: string }, wanted: string): "yes" | "no" {
  return answer.kind === "answer" && answer.text === wanted ? "yes" : "no";
}
