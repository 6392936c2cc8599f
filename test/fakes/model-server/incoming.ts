import type { IncomingMessage } from "node:http";

export interface IncomingBody {
  readonly bytes: Buffer;
  /** More came than was allowed; the rest was read and dropped, so that the client can read the refusal. */
  readonly isTooLarge: boolean;
}

/** Undefined when the client went away before it had sent everything. */
export async function readBody(incoming: IncomingMessage, maxBytes: number): Promise<IncomingBody | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of incoming) {
      const bytes = chunk as Buffer;
      size += bytes.length;
      if (size <= maxBytes) chunks.push(bytes);
    }
  } catch (error) {
    if (!incoming.complete) return undefined;
    throw error;
  }
  return { bytes: Buffer.concat(chunks), isTooLarge: size > maxBytes };
}

export function joinHeaders(incoming: IncomingMessage): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : (value ?? ""),
    ]),
  );
}
