import { listAt, objectsIn, stringAt, type WireObject } from "../wire-object.ts";
import { eachItem, type ItemLocation, typeOf } from "./responses-item.ts";
import { type Complaint, complain, firstComplaint, type Rule, type Subject } from "./rule.ts";

/** Reasoning items come back verifiable, and together with what they led to. */
export const reasoningRules: readonly Rule[] = [
  { id: "responses/reasoning-summary", check: eachItem(hasSummary) },
  { id: "responses/reasoning-stored", check: eachItem(canBeFound) },
  { id: "responses/reasoning-encrypted", check: eachItem(isIssued) },
  { id: "responses/reasoning-followed", check: reasoningIsFollowed },
  { id: "responses/reasoning-required", check: followersHaveReasoning },
];

function hasSummary(item: WireObject, { path }: ItemLocation): Complaint | undefined {
  if (typeOf(item) !== "reasoning" || Array.isArray(item.summary)) return undefined;
  return complain(`Missing required parameter: '${path}.summary'.`, `${path}.summary`, "missing_required_parameter");
}

/** Nothing is stored under `store: false`: what comes back must carry its content, and ids are only good with it. */
function canBeFound(item: WireObject, { subject }: ItemLocation): Complaint | undefined {
  if (typeOf(item) !== "reasoning" || subject.body.store !== false) return undefined;
  const hasContent = stringAt(item.encrypted_content) !== "";
  const asksForContent = listAt(subject.body.include).includes("reasoning.encrypted_content");
  if (hasContent && (item.id === undefined || asksForContent)) return undefined;
  return complain(
    `Item with id '${stringAt(item.id)}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
    "input",
  );
}

function isIssued(item: WireObject, { subject }: ItemLocation): Complaint | undefined {
  const content = item.encrypted_content;
  if (typeOf(item) !== "reasoning" || content === undefined || content === null) return undefined;
  if (subject.issued.isEncrypted(stringAt(content))) return undefined;
  const shown = `${stringAt(content).slice(0, 4)}...${stringAt(content).slice(-4)}`;
  return complain(
    `The encrypted content ${shown} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`,
    undefined,
    "invalid_encrypted_content",
  );
}

function reasoningIsFollowed({ body }: Subject): Complaint | undefined {
  const items = objectsIn(body.input);
  return firstComplaint(items, (item, index) => {
    if (typeOf(item) !== "reasoning") return undefined;
    const next = items.slice(index + 1).find((other) => typeOf(other) !== "reasoning");
    const follows = next !== undefined && (typeOf(next) === "function_call" || next.role === "assistant");
    if (follows) return undefined;
    return complain(
      `Item '${stringAt(item.id)}' of type 'reasoning' was provided without its required following item.`,
      "input",
    );
  });
}

/** An item that is replayed by its id drags in the reasoning that led to it. */
function followersHaveReasoning(subject: Subject): Complaint | undefined {
  const items = objectsIn(subject.body.input);
  return firstComplaint(items, (item) => {
    const id = stringAt(item.id);
    const reasoning = subject.issued.reasoningBefore(id);
    if (reasoning === undefined) return undefined;
    const isPresent = items.some(
      (other) =>
        typeOf(other) === "reasoning" &&
        (other.id === reasoning.itemId || other.encrypted_content === reasoning.encrypted),
    );
    if (isPresent) return undefined;
    return complain(
      `Item '${id}' of type '${typeOf(item)}' was provided without its required 'reasoning' item: '${reasoning.itemId}'.`,
      "input",
    );
  });
}
