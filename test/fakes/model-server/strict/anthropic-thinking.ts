import { objectAt, stringAt, type WireObject } from "../wire-object.ts";
import { type BlockLocation, eachBlock, idsOf, messagesOf } from "./anthropic-blocks.ts";
import { type Complaint, complain, type Rule, type Subject } from "./rule.ts";

/** Thinking: its budget, what it excludes, and that its blocks come back as they were sent. */
export const thinkingRules: readonly Rule[] = [
  { id: "anthropic/thinking-budget", check: budgetFits },
  { id: "anthropic/thinking-sampling", check: samplingIsDefault },
  { id: "anthropic/thinking-tool-choice", check: toolChoiceIsFree },
  { id: "anthropic/thinking-signature", check: eachBlock(isSigned) },
  { id: "anthropic/thinking-first", check: lastToolTurnBeginsWithThinking },
  { id: "anthropic/sampling-removed", check: newModelsTakeNoSampling },
];

function isThinking({ body }: Subject): boolean {
  const { type } = objectAt(body.thinking);
  return type === "enabled" || type === "adaptive";
}

function budgetFits({ body }: Subject): Complaint | undefined {
  const { type, budget_tokens } = objectAt(body.thinking);
  if (type !== "enabled") return undefined;
  if (typeof budget_tokens !== "number") return complain("thinking.enabled.budget_tokens: Field required");
  if (budget_tokens < 1024)
    return complain("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024");
  if (Number(body.max_tokens) > budget_tokens) return undefined;
  return complain(
    "`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking#max-tokens-and-context-window-size",
  );
}

function samplingIsDefault(subject: Subject): Complaint | undefined {
  const { temperature, top_p, top_k } = subject.body;
  if (!isThinking(subject)) return undefined;
  if (temperature !== undefined && temperature !== 1)
    return complain("`temperature` may only be set to 1 when thinking is enabled.");
  if (top_k !== undefined) return complain("`top_k` must be unset when thinking is enabled.");
  if (typeof top_p !== "number" || top_p >= 0.95) return undefined;
  return complain("`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.");
}

function toolChoiceIsFree(subject: Subject): Complaint | undefined {
  const { type } = objectAt(subject.body.tool_choice);
  if (!isThinking(subject) || (type !== "any" && type !== "tool")) return undefined;
  return complain("Thinking may not be enabled when tool_choice forces tool use.");
}

function isSigned(block: WireObject, { subject, path }: BlockLocation): Complaint | undefined {
  const { issued } = subject;
  if (block.type === "redacted_thinking")
    return issued.isRedacted(stringAt(block.data))
      ? undefined
      : complain(`${path}: Invalid \`data\` in \`redacted_thinking\` block`);
  if (block.type !== "thinking") return undefined;
  const signature = stringAt(block.signature);
  if (signature === "") return complain(`${path}.thinking.signature: Field required`);
  const signed = issued.textSignedBy(signature);
  if (signed === undefined) return complain(`${path}: Invalid \`signature\` in \`thinking\` block`);
  if (signed === block.thinking) return undefined;
  return complain(
    `${path}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`,
  );
}

/** Calls that this server sent without thinking cannot come back with any and are let through. */
function lastToolTurnBeginsWithThinking(subject: Subject): Complaint | undefined {
  if (objectAt(subject.body.thinking).type !== "enabled") return undefined;
  const last = messagesOf(subject).findLast((message) => message.role === "assistant");
  const ids = idsOf(last, "tool_use");
  if (last === undefined || ids.length === 0) return undefined;
  const type = stringAt(last.blocks[0]?.type);
  if (type === "thinking" || type === "redacted_thinking") return undefined;
  if (ids.every((id) => subject.issued.call(id)?.hadReasoning === false)) return undefined;
  return complain(
    `${last.path}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable \`thinking\`.`,
  );
}

function newModelsTakeNoSampling({ body, request }: Subject): Complaint | undefined {
  if (!/4[-.]7/.test(request.model)) return undefined;
  const name = ["temperature", "top_p", "top_k"].find((field) => body[field] !== undefined);
  return name === undefined ? undefined : complain(`\`${name}\` is deprecated for this model.`);
}
