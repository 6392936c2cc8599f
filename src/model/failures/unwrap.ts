import { isRecord, parseJson } from "#foundation/text/json";
import { truncateEnd } from "#foundation/text/text";

/** An error body, opened: the words a person should read, and everything worth matching rules against. */
export interface OpenedBody {
  /** One line: at most 300 characters from JSON, 500 from anything else. */
  readonly message: string;
  /** Whether the body had a message in it; otherwise `message` is the body itself. */
  readonly isTold: boolean;
  /** Codes and types from every level, lower case. */
  readonly codes: readonly string[];
  /** Lower-cased text of all levels together, bounded. */
  readonly text: string;
  /** Every object found, outermost first, for fields such as `resets_at`. */
  readonly objects: readonly Readonly<Record<string, unknown>>[];
}

const maxLevels = 6;
const maxObjects = 50;
const maxJsonMessage = 300;
const maxOtherMessage = 500;
/** What a person wrote about a failure fits in this; a longer body is a page or an echo of the request. */
const maxMatched = 16_000;
/** JSON beyond this is not an error report. */
const maxParsed = 256 * 1024;

/**
 * Gateways wrap the provider's error, sometimes as JSON text inside JSON (`error.metadata.raw`). The
 * innermost message is the telling one; the wrapper's is often just "Provider returned error".
 */
export function openBody(body: string): OpenedBody {
  const gathered: Gathered = { objects: [], messages: [] };
  collect(body.length > maxParsed ? undefined : parseLoose(body), gathered, 0);
  const isJson = gathered.objects.length > 0;
  const page = isJson ? undefined : htmlSummary(clip(body));
  const told = gathered.messages.filter((message) => message.trim() !== "");
  const message = told.findLast((one) => !isGeneric(one)) ?? told.at(-1) ?? page ?? clip(body);
  return {
    message: oneLine(message, isJson ? maxJsonMessage : maxOtherMessage),
    isTold: told.length > 0 || page !== undefined,
    codes: gathered.objects.flatMap((object) => codeKeys.flatMap((key) => codeText(object[key]))),
    text: [...told.map(clip), clip(body)]
      .join("\n")
      .slice(0, 2 * maxMatched)
      .toLowerCase(),
    objects: gathered.objects,
  };
}

/** Head and tail: servers put what matters first, or, after an echo of the request, last. */
function clip(text: string): string {
  if (text.length <= maxMatched) return text;
  const half = maxMatched / 2;
  return `${text.slice(0, half)}\n${text.slice(-half)}`;
}

interface Gathered {
  readonly objects: Record<string, unknown>[];
  readonly messages: string[];
}

const codeKeys = ["code", "type", "status", "reason", "status_code", "__type", "error_code", "err_code"];
const messageKeys = [
  "message",
  "Message",
  "detail",
  "error_description",
  "msg",
  "error_msg",
  "status_msg",
  "title",
  "errorMessage",
];
const innerKeys = [
  "error",
  "errors",
  "metadata",
  "details",
  "detail",
  "cause",
  "base_resp",
  "response",
  "innererror",
  "incomplete_details",
  "body",
];

function collect(value: unknown, gathered: Gathered, depth: number): void {
  if (depth > maxLevels || gathered.objects.length >= maxObjects) return;
  if (Array.isArray(value)) {
    for (const item of value.slice(0, 5)) collect(item, gathered, depth + 1);
    return;
  }
  if (!isRecord(value)) return;
  gathered.objects.push(value);
  for (const key of messageKeys) collectText(value[key], gathered, depth);
  collectText(value["error"], gathered, depth);
  for (const key of innerKeys) collect(value[key], gathered, depth + 1);
  collectText(value["raw"], gathered, depth);
}

/** A text is a message, or holds the next level as JSON. */
function collectText(value: unknown, gathered: Gathered, depth: number): void {
  if (typeof value !== "string") return;
  const inner = /^\s*(?:data:\s*)?[[{]/.test(value) && depth < maxLevels ? parseLoose(value) : undefined;
  if (inner === undefined) gathered.messages.push(value);
  else collect(inner, gathered, depth + 1);
}

/** JSON, also when it stands behind other words (`400 {"error":…}`) or a server-sent-event prefix. */
function parseLoose(text: string): unknown {
  const trimmed = text.trim().replace(/^data:\s*/, "");
  const parsed = parseJson(trimmed);
  if (parsed.ok) return typeof parsed.value === "object" ? (parsed.value ?? undefined) : undefined;
  const brace = trimmed.indexOf("{");
  if (brace <= 0) return undefined;
  const inner = parseJson(trimmed.slice(brace));
  return inner.ok ? inner.value : undefined;
}

const genericMessage =
  /^(?:provider returned error|error|unknown error|upstream error|bad request|internal server error|(?:http|status)?\s*\d{3})\.?$/i;

function isGeneric(message: string): boolean {
  return message.length < 60 && genericMessage.test(message.trim());
}

function codeText(value: unknown): readonly string[] {
  if (typeof value === "string") return [value.toLowerCase().split("#").at(-1) ?? ""];
  return typeof value === "number" ? [String(value)] : [];
}

/** The title of an error page, with the id its operator can look up. */
function htmlSummary(body: string): string | undefined {
  if (!/<html|<!doctype|<title/i.test(body.slice(0, 2_000))) return undefined;
  const title = /<title[^>]{0,100}>([^<]{1,200})/i.exec(body)?.[1] ?? /<h1[^>]{0,100}>([^<]{1,200})/i.exec(body)?.[1];
  const ray = /(?:ray id:?|cf-ray:?)[^0-9a-z]{0,20}(?:<[^>]{0,60}>[^0-9a-z]{0,5}){0,3}([0-9a-f]{10,20})/i.exec(
    body,
  )?.[1];
  const summary = title?.trim() || "the server answered with a web page";
  return ray === undefined ? summary : `${summary} (Ray ID ${ray})`;
}

function oneLine(text: string, maxCodePoints: number): string {
  return truncateEnd(text.slice(0, 4_000).replace(/\s+/g, " ").trim(), maxCodePoints);
}
