import { objectAt, objectsIn, stringAt, type WireObject } from "../wire-object.ts";
import { messagesOf } from "./anthropic-blocks.ts";
import { type Complaint, complain, firstComplaint, type Rule, type Subject } from "./rule.ts";

/** Where `cache_control` may stand, how often, and with which lifetime. */
export const cacheMarkRules: readonly Rule[] = [
  { id: "anthropic/cache-marks-count", check: atMostFour },
  { id: "anthropic/cache-marks-place", check: onMarkableBlocks },
  { id: "anthropic/cache-marks-ttl", check: longLifetimesFirst },
];

interface Marked {
  readonly block: WireObject;
  readonly path: string;
}

/** In the order the service reads them; marks inside a `tool_result` count like any other. */
function marked(subject: Subject): readonly Marked[] {
  const tools = objectsIn(subject.body.tools).map((block, index) => ({ block, path: `tools.${index}` }));
  const system = objectsIn(subject.body.system).map((block, index) => ({ block, path: `system.${index}` }));
  const messages = messagesOf(subject).flatMap((message) =>
    message.blocks.flatMap((block, at) => {
      const path = `${message.path}.content.${at}`;
      const inner = objectsIn(block.content).map((part, index) => ({ block: part, path: `${path}.content.${index}` }));
      return [...inner, { block, path }];
    }),
  );
  return [...tools, ...system, ...messages].filter(
    ({ block }) => block.cache_control !== undefined && block.cache_control !== null,
  );
}

function atMostFour(subject: Subject): Complaint | undefined {
  const count = marked(subject).length;
  return count <= 4 ? undefined : complain(`A maximum of 4 blocks with cache_control may be provided. Found ${count}.`);
}

function onMarkableBlocks(subject: Subject): Complaint | undefined {
  return firstComplaint(marked(subject), ({ block, path }) => {
    const type = stringAt(block.type);
    if (type === "thinking" || type === "redacted_thinking")
      return complain(`${path}.${type}.cache_control: Extra inputs are not permitted`);
    if (type === "text" && stringAt(block.text) === "")
      return complain(`${path}.text: cache_control cannot be set for empty text blocks`);
    return undefined;
  });
}

function longLifetimesFirst(subject: Subject): Complaint | undefined {
  let sawShort = false;
  return firstComplaint(marked(subject), ({ block, path }) => {
    const { type, ttl } = objectAt(block.cache_control);
    if (type !== "ephemeral") return complain(`${path}.cache_control.type: Input should be 'ephemeral'`);
    if (ttl !== undefined && ttl !== "5m" && ttl !== "1h")
      return complain(`${path}.cache_control.ephemeral.ttl: Input should be '5m' or '1h'`);
    if (ttl === "1h" && sawShort)
      return complain(
        `${path}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: \`tools\`, \`system\`, \`messages\`.`,
      );
    sawShort ||= ttl !== "1h";
    return undefined;
  });
}
