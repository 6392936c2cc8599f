import { defined } from "#foundation/defined";
import { isRecord } from "#foundation/text/json";

/** What an error and the errors that caused it say, without looking at what they are called in our code. */
export interface CauseFacts {
  /** All names, codes and messages, outermost first, one per line. */
  readonly text: string;
  /** The first HTTP status along the chain; an error named after a rate limit counts as 429. */
  readonly status?: number;
  readonly code?: string;
  /** The first response body along the chain, as text. */
  readonly body?: string;
  /** The outermost message that is not empty. */
  readonly message: string;
}

const maxCauses = 5;

/** Reads an error and up to five levels of its causes. Reading never throws, whatever the error is. */
export function readCauses(error: unknown): CauseFacts {
  const links = chainOf(error);
  const read = links.map(readLink);
  const status = read.find((link) => link.status !== undefined)?.status;
  const named = links.some((link) => /ratelimiterror$/i.test(nameOf(link))) ? 429 : undefined;
  const code = read.find((link) => link.code !== undefined)?.code;
  const body = read.find((link) => link.body !== undefined)?.body;
  const found = status ?? named;
  return {
    text: read.map((link) => `${link.name} ${link.code ?? ""} ${link.message}`.slice(0, 2_000)).join("\n"),
    message: read.find((link) => link.message !== "")?.message ?? "unknown error",
    ...defined({ status: found, code, body }),
  };
}

function chainOf(error: unknown): readonly unknown[] {
  const links: unknown[] = [];
  let current: unknown = error;
  while (current !== undefined && current !== null && links.length <= maxCauses && !links.includes(current)) {
    links.push(current);
    // Several addresses were tried and each failed; the first stands for all.
    const [first] = current instanceof AggregateError ? current.errors : [];
    current = first ?? fieldOf(current, "cause");
  }
  return links;
}

interface Link {
  readonly name: string;
  readonly message: string;
  readonly status?: number;
  readonly code?: string;
  readonly body?: string;
}

function readLink(link: unknown): Link {
  if (typeof link === "string") return { name: "", message: link };
  const status = [
    fieldOf(link, "status"),
    fieldOf(link, "statusCode"),
    fieldOf(fieldOf(link, "response"), "status"),
  ].find((value): value is number => typeof value === "number" && value >= 100 && value < 600);
  const code = fieldOf(link, "code");
  const body = bodyText(fieldOf(link, "body") ?? fieldOf(link, "responseBody") ?? fieldOf(link, "error"));
  const message = fieldOf(link, "message");
  return {
    name: nameOf(link),
    message: typeof message === "string" ? message : "",
    ...defined({ status }),
    ...(typeof code === "string" ? { code } : {}),
    ...defined({ body }),
  };
}

function nameOf(link: unknown): string {
  const name = fieldOf(link, "name");
  return typeof name === "string" ? name : "";
}

function bodyText(value: unknown): string | undefined {
  if (typeof value === "string") return value === "" ? undefined : value;
  if (!isRecord(value)) return undefined;
  try {
    return JSON.stringify(value);
  } catch {
    // A body with a cycle in it says nothing a rule could read.
    return undefined;
  }
}

/** A property of anything; a getter that throws counts as absent. */
function fieldOf(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  try {
    return (value as Record<string, unknown>)[key];
  } catch {
    return undefined;
  }
}
