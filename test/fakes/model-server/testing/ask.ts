import type { ModelServer } from "../index.ts";

export type Wire = "chat" | "anthropic" | "responses";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: () => Record<string, unknown>;
  readonly events: () => readonly ReadEvent[];
}

export interface ReadEvent {
  readonly event: string | undefined;
  readonly data: string;
}

export interface AskOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export const paths: Readonly<Record<Wire, string>> = {
  chat: "/v1/chat/completions",
  anthropic: "/v1/messages",
  responses: "/v1/responses",
};

/** A well-formed smallest request of each wire. */
export const smallest = {
  chat: { model: "m", messages: [{ role: "user", content: "hi" }] },
  anthropic: { model: "m", max_tokens: 100, messages: [{ role: "user", content: "hi" }] },
  responses: { model: "m", input: [{ role: "user", content: [{ type: "input_text", text: "hi" }] }] },
} as const;

/** Sends a body and reads the answer to its end. */
export async function ask(
  server: ModelServer,
  wire: Wire,
  request: AskOptions & { readonly body: unknown },
): Promise<Answer> {
  const response = await send(server, wire, request);
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: () => JSON.parse(text) as Record<string, unknown>,
    events: () => readEvents(text),
  };
}

export function send(
  server: ModelServer,
  wire: Wire,
  request: AskOptions & { readonly body: unknown },
): Promise<Response> {
  const { body, headers, signal } = request;
  return fetch(`${server.url}${paths[wire]}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(wire === "anthropic" ? { "anthropic-version": "2023-06-01" } : {}),
      ...headers,
    },
    body: typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });
}

/** The same smallest request, streamed. */
export function stream(wire: Wire): { readonly body: unknown } {
  return { body: { ...smallest[wire], stream: true } };
}

/** A reader of event streams written for these tests alone, after the text of the HTML standard. */
export function readEvents(text: string): readonly ReadEvent[] {
  const events: ReadEvent[] = [];
  let event: string | undefined;
  let data: string[] = [];
  for (const line of text.split(/\r\n|\n|\r/)) {
    if (line === "") {
      if (data.length > 0) events.push({ event, data: data.join("\n") });
      event = undefined;
      data = [];
      continue;
    }
    const colon = line.indexOf(":");
    if (colon === 0) continue;
    const [field, rest] = colon < 0 ? [line, ""] : [line.slice(0, colon), line.slice(colon + 1)];
    const value = rest.startsWith(" ") ? rest.slice(1) : rest;
    if (field === "event") event = value;
    if (field === "data") data.push(value);
  }
  return events;
}

/** The data of all events as JSON; `[DONE]` stays a string. */
export function dataOf(answer: Answer): readonly unknown[] {
  return answer.events().map(({ data }) => (data === "[DONE]" ? data : (JSON.parse(data) as unknown)));
}
