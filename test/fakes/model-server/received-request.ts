import { isObject, objectsIn, stringAt, textIn, type WireObject } from "./wire-object.ts";

export type Protocol = "chat" | "anthropic" | "responses";

/** One call to a model, as it arrived. */
export interface ReceivedRequest {
  /** 1 for the first, as in `received(1)`. */
  readonly number: number;
  readonly protocol: Protocol;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names in lower case; repeated headers joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed JSON object; empty when the body was none. */
  readonly body: WireObject;
  readonly rawBody: string;
  readonly rawBytes: Buffer;
  readonly bodyProblem?: "too-large" | "invalid-json";
  /** Milliseconds since the epoch on the server's clock. */
  readonly receivedAt: number;
  readonly stream: boolean;
  readonly model: string;
  /** `messages`, or `input` items on the Responses wire. */
  readonly messages: readonly WireObject[];
  /** The system prompt's words, wherever this protocol puts them. */
  readonly systemText: string;
  readonly toolNames: readonly string[];
}

export interface Arrival {
  readonly number: number;
  readonly protocol: Protocol;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly rawBytes: Buffer;
  readonly isTooLarge: boolean;
  readonly receivedAt: number;
}

/** Any prefix is fine (`/anthropic/v1/messages`, `/backend-api/codex/responses`): the end of the path decides. */
export function protocolOf(path: string): Protocol | undefined {
  if (path.endsWith("/chat/completions")) return "chat";
  if (path.endsWith("/messages")) return "anthropic";
  if (path.endsWith("/responses")) return "responses";
  return undefined;
}

export function readRequest(arrival: Arrival): ReceivedRequest {
  const { number, protocol, url, headers, rawBytes, receivedAt } = arrival;
  const rawBody = rawBytes.toString("utf8");
  const parsed = arrival.isTooLarge ? undefined : parseObject(rawBody);
  const body = parsed ?? {};
  const bodyProblem = arrival.isTooLarge ? "too-large" : parsed === undefined ? "invalid-json" : undefined;
  return {
    number,
    protocol,
    path: url.pathname,
    query: url.searchParams,
    headers,
    body,
    rawBody,
    rawBytes,
    ...(bodyProblem === undefined ? {} : { bodyProblem }),
    receivedAt,
    stream: body.stream === true,
    model: stringAt(body.model),
    messages: messagesOf(protocol, body),
    systemText: systemTextOf(protocol, body),
    toolNames: objectsIn(body.tools).map((tool) => stringAt(isObject(tool.function) ? tool.function.name : tool.name)),
  };
}

/** One line that tells a person which request this was. */
export function describeRequest(request: ReceivedRequest): string {
  const last = request.messages.at(-1);
  const text = last === undefined ? "" : textIn(last.content) || textIn(last.output) || stringAt(last.arguments);
  const shown = text.length > 80 ? `${text.slice(0, 80)}...` : text;
  return `request ${request.number} (POST ${request.path}, model ${JSON.stringify(request.model)}, ${
    request.messages.length
  } messages, last: ${JSON.stringify(shown)})`;
}

function parseObject(text: string): WireObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function messagesOf(protocol: Protocol, body: WireObject): readonly WireObject[] {
  if (protocol !== "responses") return objectsIn(body.messages);
  return typeof body.input === "string" ? [{ role: "user", content: body.input }] : objectsIn(body.input);
}

function systemTextOf(protocol: Protocol, body: WireObject): string {
  if (protocol === "anthropic") return textIn(body.system);
  if (protocol === "responses") return stringAt(body.instructions);
  return objectsIn(body.messages)
    .filter((message) => message.role === "system" || message.role === "developer")
    .map((message) => textIn(message.content))
    .join("\n");
}
