/**
 * The errors of the house. What a caller can branch on is a returned union, not an error; what is
 * thrown is either a {@link UserError} (a person can act on it), a tool's own failure, or a bug.
 */
export class HermesError extends Error {
  override readonly name: string = "HermesError";
  /** A stable string such as `config_parse_error`; never shown alone, always with the message. */
  readonly code: string;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(
    message: string,
    options: { code: string; data?: Readonly<Record<string, unknown>>; cause?: unknown } = { code: "internal" },
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code;
    this.data = options.data ?? {};
  }
}

export interface UserErrorOptions {
  /** One imperative sentence, with the exact command to run where there is one. */
  readonly hint?: string | undefined;
  readonly code?: string | undefined;
  readonly exitCode?: number | undefined;
  readonly data?: Readonly<Record<string, unknown>> | undefined;
  readonly cause?: unknown;
}

/** Something the person at the keyboard can put right. Printed as message and hint, never as a stack. */
export class UserError extends HermesError {
  override readonly name: string = "UserError";
  readonly hint: string | undefined;
  readonly exitCode: number;

  constructor(message: string, options: UserErrorOptions = {}) {
    super(message, {
      code: options.code ?? "user_error",
      ...(options.data === undefined ? {} : { data: options.data }),
      ...(options.cause === undefined ? {} : { cause: options.cause }),
    });
    this.hint = options.hint;
    this.exitCode = options.exitCode ?? 1;
  }
}

/** One line for any thrown value, with the chain of causes: `outer: middle: inner`. */
export function describe(error: unknown): string {
  const parts: string[] = [];
  const seen = new Set<unknown>();
  let current: unknown = error;
  while (current !== undefined && current !== null && !seen.has(current) && parts.length < 8) {
    seen.add(current);
    const text = ownText(current);
    if (text !== "" && !parts.some((part) => part.includes(text))) parts.push(text);
    current = current instanceof Error ? current.cause : undefined;
  }
  return parts.length === 0 ? "unknown error" : parts.join(": ");
}

function ownText(value: unknown): string {
  if (value instanceof Error) return (value.message || value.name).replace(/\s+/g, " ").trim();
  if (typeof value === "string") return value.replace(/\s+/g, " ").trim();
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}

/** The `code` of a Node system error (`ENOENT`), or undefined for anything else. */
export function systemErrorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
