import { type Content, callsOf, type RequestMessage, type ToolDefinition } from "#conversation";

const charactersPerToken = 4;
/** What an image costs roughly, on every provider that was measured; its base64 length says nothing. */
const tokensPerImage = 1_600;
/** Role and separators of one message. */
const tokensPerMessage = 10;

export function estimateText(text: string): number {
  return Math.ceil(text.length / charactersPerToken);
}

function estimateContent(content: Content | null | undefined): number {
  if (content === null || content === undefined) return 0;
  if (typeof content === "string") return estimateText(content);
  return content.reduce((sum, part) => sum + (part.type === "text" ? estimateText(part.text) : tokensPerImage), 0);
}

export function estimateMessage(message: RequestMessage): number {
  const calls = callsOf(message).reduce(
    (sum, call) => sum + estimateText(call.function.name) + estimateText(call.function.arguments),
    0,
  );
  const reasoning = message.role === "assistant" ? estimateText(message.reasoning_content ?? "") : 0;
  return tokensPerMessage + estimateContent(message.content) + calls + reasoning;
}

export interface EstimatedRequest {
  readonly system: string;
  readonly ephemeral?: string;
  readonly messages: readonly RequestMessage[];
  readonly tools: readonly ToolDefinition[];
}

/** The size of a request before it is sent: system prompt, messages and tool schemas. The only estimator there is. */
export function estimateRequest(request: EstimatedRequest): number {
  const messages = request.messages.reduce((sum, message) => sum + estimateMessage(message), 0);
  const tools = request.tools.length === 0 ? 0 : estimateText(JSON.stringify(request.tools));
  return estimateText(request.system) + estimateText(request.ephemeral ?? "") + messages + tools;
}
