import { isObject, stringAt, type WireObject } from "../wire-object.ts";
import { type BlockLocation, eachBlock, eachMessage, idsOf, messagesOf } from "./anthropic-blocks.ts";
import { type Complaint, complain, firstComplaint, type Rule, type Subject } from "./rule.ts";

/** Every `tool_use` is answered by the next message, before anything else that message says. */
export const pairingRules: readonly Rule[] = [
  { id: "anthropic/tool-id", check: eachBlock(hasCleanId) },
  { id: "anthropic/tool-input", check: eachBlock(hasObjectInput) },
  { id: "anthropic/tool-use-unique", check: useIdsAreUnique },
  { id: "anthropic/tool-orphan", check: resultsHaveUses },
  { id: "anthropic/tool-duplicate", check: resultsAreSingle },
  { id: "anthropic/tool-unanswered", check: usesHaveResults },
];

function hasCleanId(block: WireObject, { path }: BlockLocation): Complaint | undefined {
  if (block.type !== "tool_use" && block.type !== "tool_result") return undefined;
  const key = block.type === "tool_use" ? "id" : "tool_use_id";
  if (/^[a-zA-Z0-9_-]+$/.test(stringAt(block[key]))) return undefined;
  return complain(`${path}.${block.type}.${key}: String should match pattern '^[a-zA-Z0-9_-]+$'`);
}

function hasObjectInput(block: WireObject, { path }: BlockLocation): Complaint | undefined {
  if (block.type !== "tool_use" || isObject(block.input)) return undefined;
  return complain(
    block.input === undefined
      ? `${path}.tool_use.input: Field required`
      : `${path}.tool_use.input: Input should be a valid dictionary`,
  );
}

function useIdsAreUnique(subject: Subject): Complaint | undefined {
  const seen = new Set<string>();
  return eachBlock((block, { path }) => {
    if (block.type !== "tool_use") return undefined;
    const id = stringAt(block.id);
    if (seen.has(id)) return complain(`${path}: \`tool_use\` ids must be unique`);
    seen.add(id);
    return undefined;
  })(subject);
}

function resultsHaveUses(subject: Subject): Complaint | undefined {
  const messages = messagesOf(subject);
  return eachMessage((message, _subject, index) => {
    const uses = new Set(idsOf(messages[index - 1], "tool_use"));
    return firstComplaint(message.blocks, (block, at) => {
      const id = stringAt(block.tool_use_id);
      if (block.type !== "tool_result" || uses.has(id)) return undefined;
      return complain(
        `${message.path}.content.${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      );
    });
  })(subject);
}

function resultsAreSingle(subject: Subject): Complaint | undefined {
  return eachMessage((message) => {
    const ids = idsOf(message, "tool_result");
    const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
    if (repeated === undefined) return undefined;
    return complain(
      `${message.path}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${repeated}`,
    );
  })(subject);
}

function usesHaveResults(subject: Subject): Complaint | undefined {
  const messages = messagesOf(subject);
  return eachMessage((message, _subject, index) => {
    const missing = idsOf(message, "tool_use").filter((id) => !leadingResults(messages[index + 1]?.blocks).has(id));
    if (missing.length === 0) return undefined;
    return complain(
      `${message.path}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
    );
  })(subject);
}

/** Results behind other content do not count. */
function leadingResults(blocks: readonly WireObject[] = []): ReadonlySet<string> {
  const end = blocks.findIndex((block) => block.type !== "tool_result");
  const leading = end < 0 ? blocks : blocks.slice(0, end);
  return new Set(leading.map((block) => stringAt(block.tool_use_id)));
}
