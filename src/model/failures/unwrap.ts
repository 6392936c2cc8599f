import { isRecord, parseJson } from "#foundation/json";
import { truncateEnd } from "#foundation/text";

/** An error body, opened: the words a person should read, and everything worth matching rules against. */
export interface OpenedBody {
  /** One line, at most 500 characters. */
  readonly message: string;
  /** Codes and types from every level, lower case. */
  readonly codes: readonly string[];
  /** Lower-cased text of all levels together. */
  readonly text: string;
  /** Every object found, outermost first, for fields such as `resets_at`. */
  readonly objects: readonly Readonly<Record<string, unknown>>[];
}

const maxLevels = 6;
const maxMessage = 500;

/**
 * Gateways wrap the provider's error, sometimes as JSON text inside JSON (`error.metadata.raw`). The
 * innermost message is the telling one; the wrapper's is often just "Provider returned error".
 */
export function openBody(body: string): OpenedBody {
  const objects: Record<string, unknown>[] = [];
  const messages: string[] = [];
  collect(parseLoose(body), { objects, messages }, 0);
  const page = objects.length === 0 ? htmlSummary(body) : undefined;
  const told = messages.filter((message) => message.trim() !== "");
  const message = told.findLast((one) => !isGeneric(one)) ?? told.at(-1) ?? page ?? body;
  return {
    message: oneLine(message),
    codes: objects.flatMap((object) => ["code", "type", "status", "reason"].flatMap((key) => codeText(object[key]))),
    text: [body, ...told].join("\n").toLowerCase(),
    objects,
  };
}

interface Gathered {
  readonly objects: Record<string, unknown>[];
  readonly messages: string[];
}

function collect(value: unknown, gathered: Gathered, depth: number): void {
  if (depth > maxLevels) return;
  if (Array.isArray(value)) {
    for (const item of value.slice(0, 5)) collect(item, gathered, depth + 1);
    return;
  }
  if (!isRecord(value)) return;
  gathered.objects.push(value);
  for (const key of ["message", "detail", "error_description", "msg", "error_msg", "title"]) {
    const text = value[key];
    if (typeof text === "string") gathered.messages.push(text);
  }
  if (typeof value["error"] === "string") gathered.messages.push(value["error"]);
  for (const key of ["error", "metadata", "details", "detail", "cause", "base_resp", "response", "errors"]) {
    collect(value[key], gathered, depth + 1);
  }
  const raw = value["raw"];
  if (typeof raw === "string") {
    const inner = parseLoose(raw);
    if (inner === undefined) gathered.messages.push(raw);
    else collect(inner, gathered, depth + 1);
  }
}

/** JSON, also when it stands behind other words or a server-sent-event prefix. */
function parseLoose(text: string): unknown {
  const trimmed = text.trim().replace(/^data:\s*/, "");
  const parsed = parseJson(trimmed);
  if (parsed.ok) return typeof parsed.value === "object" ? parsed.value : undefined;
  const brace = trimmed.indexOf("{");
  if (brace <= 0) return undefined;
  const inner = parseJson(trimmed.slice(brace));
  return inner.ok ? inner.value : undefined;
}

function isGeneric(message: string): boolean {
  return /^(?:provider returned error|error|unknown error|upstream error|bad request|internal server error)\.?$/i.test(
    message.trim(),
  );
}

function codeText(value: unknown): readonly string[] {
  if (typeof value === "string") return [value.toLowerCase()];
  return typeof value === "number" ? [String(value)] : [];
}

/** The title of an error page, with the id its operator can look up. */
function htmlSummary(body: string): string | undefined {
  if (!/<html|<!doctype|<title/i.test(body.slice(0, 2_000))) return undefined;
  const title = /<title[^>]*>([^<]{1,200})/i.exec(body)?.[1] ?? /<h1[^>]*>([^<]{1,200})/i.exec(body)?.[1];
  const ray = /(?:ray id:?|cf-ray:?)(?:\s|<[^>]*>)*([0-9a-f]{10,20})/i.exec(body)?.[1];
  const summary = title?.trim() ?? "the server answered with a web page";
  return ray === undefined ? summary : `${summary} (Ray ID ${ray})`;
}

function oneLine(text: string): string {
  return truncateEnd(text.replace(/\s+/g, " ").trim(), maxMessage);
}
