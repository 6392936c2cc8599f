import { objectsIn, stringAt } from "../wire-object.ts";
import { type Complaint, complain, type Rule, type Subject } from "./rule.ts";

/** Every call is answered exactly once, directly behind the message that made it. */
export const pairingRules: readonly Rule[] = [
  { id: "chat/tool-orphan", check: (subject) => pairing(subject).orphan },
  { id: "chat/tool-duplicate", check: (subject) => pairing(subject).duplicate },
  { id: "chat/tool-unanswered", check: (subject) => pairing(subject).unanswered },
];

interface Pairing {
  readonly orphan?: Complaint;
  readonly duplicate?: Complaint;
  readonly unanswered?: Complaint;
}

/** One walk; each kind of complaint keeps its first occurrence. */
function pairing({ body }: Subject): Pairing {
  let [orphan, duplicate, unanswered]: (Complaint | undefined)[] = [];
  let waiting = new Set<string>();
  let answered = new Set<string>();
  const messages = objectsIn(body.messages);
  for (const [index, message] of [...messages, { role: "(end)" }].entries()) {
    if (message.role === "tool") {
      const id = stringAt("tool_call_id" in message ? message.tool_call_id : undefined);
      if (waiting.delete(id)) answered.add(id);
      else if (answered.has(id)) duplicate ??= duplicateResult(id, index);
      else orphan ??= orphanResult(index);
      continue;
    }
    if (waiting.size > 0) unanswered ??= unansweredCalls([...waiting], index);
    const calls = "tool_calls" in message ? objectsIn(message.tool_calls) : [];
    waiting = new Set(calls.map((call) => stringAt(call.id)));
    answered = new Set();
  }
  return {
    ...(orphan === undefined ? {} : { orphan }),
    ...(duplicate === undefined ? {} : { duplicate }),
    ...(unanswered === undefined ? {} : { unanswered }),
  };
}

function orphanResult(index: number): Complaint {
  return complain(
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    `messages.[${index}].role`,
  );
}

function duplicateResult(id: string, index: number): Complaint {
  return complain(
    `Duplicate value for 'tool_call_id' of '${id}' in message[${index}]`,
    `messages.[${index}].tool_call_id`,
  );
}

function unansweredCalls(ids: readonly string[], index: number): Complaint {
  return complain(
    `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${ids.join(", ")}`,
    `messages.[${index}].role`,
  );
}
