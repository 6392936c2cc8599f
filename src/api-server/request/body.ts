import { isRecord, parseJson } from "#foundation/text/json";
import { ApiError, badRequest } from "../api-error.ts";

const maxBodyBytes = 1_000_000;

export type Body = Readonly<Record<string, unknown>>;

/** The JSON object of a request; what is too long is refused while it is read. */
export async function readBody(request: Request): Promise<Body> {
  const declared = request.headers.get("content-length");
  if (declared !== null && !/^\d+$/.test(declared))
    throw badRequest("Content-Length is not a number.", { code: "invalid_content_length" });
  if (Number(declared ?? 0) > maxBodyBytes) throw tooLarge();
  const bytes = await collect(request);
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw Object.assign(badRequest("The body is not UTF-8.", { code: "invalid_json" }), { cause });
  }
  const parsed = parseJson(text);
  if (!parsed.ok) throw badRequest(`The body is not JSON: ${parsed.message}`, { code: "invalid_json" });
  if (!isRecord(parsed.value)) throw badRequest("The body must be a JSON object.", { code: "invalid_json" });
  return parsed.value;
}

async function collect(request: Request): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  if (request.body === null) return new Uint8Array();
  for await (const piece of request.body as unknown as AsyncIterable<Uint8Array>) {
    bytes += piece.byteLength;
    if (bytes > maxBodyBytes) throw tooLarge();
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function tooLarge(): ApiError {
  return new ApiError(413, `The body is longer than ${maxBodyBytes} bytes.`, { code: "body_too_large" });
}

export function optionalText(body: Body, name: string, max = 65_536): string | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") throw badRequest(`${name} must be a text.`, { param: name, code: "invalid_type" });
  if (value.length > max)
    throw badRequest(`${name} has more than ${max} characters.`, { param: name, code: "too_long" });
  return value;
}

export function optionalFlag(body: Body, name: string): boolean | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "boolean")
    throw badRequest(`${name} must be true or false.`, { param: name, code: "invalid_type" });
  return value;
}

/** A text that is the same for requests that ask for the same; deep nesting is refused like other nonsense. */
export function fingerprint(body: Body, names: readonly string[]): string {
  try {
    return JSON.stringify(names.map((name) => body[name] ?? null));
  } catch (cause) {
    throw Object.assign(badRequest("The body is nested too deeply.", { code: "invalid_json" }), { cause });
  }
}
