import type { AssistantMessage, Message, ToolMessage } from "#conversation";

/**
 * What an engine made of a history, laid over the whole messages: a shortened result or call keeps its words and
 * gets the short form for requests. So what is stored, a session that compression begins included, is always whole,
 * and whoever resumes the session sends the same short forms again.
 */
export function ontoWhole(whole: readonly Message[], made: readonly Message[]): readonly Message[] {
  const byUid = new Map(whole.flatMap((message) => (message.uid === undefined ? [] : [[message.uid, message]])));
  return made.map((message) => {
    const original = byUid.get(message.uid ?? "");
    if (original?.role === "tool" && message.role === "tool") return wholeResult(original, message);
    if (original?.role === "assistant" && message.role === "assistant") return wholeReply(original, message);
    return message;
  });
}

function wholeResult(original: ToolMessage, made: ToolMessage): Message {
  const { content } = made;
  if (content === original.content || content === original.sent?.content) return original;
  return { ...original, sent: { ...original.sent, content } };
}

/** A summary may stand in front of the text of a reply; its calls are whole all the same. */
function wholeReply(original: AssistantMessage, made: AssistantMessage): Message {
  const { tool_calls } = original;
  const sentCalls = made.tool_calls;
  const isSameCalls = sentCalls === tool_calls || sentCalls === original.sent?.tool_calls;
  if (isSameCalls && made.content === original.content) return original;
  const { sent: _sent, ...rest } = made;
  const isShort = sentCalls !== undefined && sentCalls !== tool_calls;
  return {
    ...rest,
    ...(tool_calls === undefined ? {} : { tool_calls }),
    ...(isShort ? { sent: { tool_calls: sentCalls } } : {}),
  };
}

/** After a change of the beginning, what a provider counted says nothing about the next request. */
export function uncounted(messages: readonly Message[]): readonly Message[] {
  const last = messages.findLastIndex((message) => message.role === "assistant" && message.origin !== undefined);
  return messages.map((message, index) => {
    if (index !== last || message.role !== "assistant" || message.origin?.counted === undefined) return message;
    const { counted: _counted, ...origin } = message.origin;
    return { ...message, origin };
  });
}
