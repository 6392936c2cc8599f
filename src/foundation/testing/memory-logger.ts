import { type Logger, type LogLine, loggerOver } from "../files/logger.ts";

/** Keeps its lines, for tests. */
export function memoryLogger(): Logger & { readonly lines: readonly LogLine[] } {
  const lines: LogLine[] = [];
  return Object.assign(
    loggerOver((line) => void lines.push(line)),
    { lines },
  );
}
