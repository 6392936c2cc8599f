import type { Logger } from "#foundation/files/logger";

/** The logger Baileys is given: it may name keys and messages, so only its words are kept, and only those of trouble. */
export interface LibraryLogger {
  readonly level: string;
  child(): LibraryLogger;
  trace(): void;
  debug(): void;
  info(): void;
  warn(fields: unknown, message?: string): void;
  error(fields: unknown, message?: string): void;
}

export function quietLogger(logger: Logger): LibraryLogger {
  const nothing = (): void => undefined;
  const words = (fields: unknown, message: string | undefined): string =>
    (message ?? (typeof fields === "string" ? fields : "something went wrong")).slice(0, 300);
  const own: LibraryLogger = {
    level: "warn",
    child: () => own,
    trace: nothing,
    debug: nothing,
    info: nothing,
    warn: (fields, message) => logger.debug(`baileys: ${words(fields, message)}`),
    error: (fields, message) => logger.warn(`baileys: ${words(fields, message)}`),
  };
  return own;
}
