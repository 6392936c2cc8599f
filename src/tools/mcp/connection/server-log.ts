import { appendFileSync, mkdirSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import type { ServerLog } from "../deps.ts";

const maxBytes = 5 * 1024 * 1024;

export interface ServerLogOptions {
  readonly folder: string;
  now(): number;
  redact(text: string): string;
}

/**
 * A file per server for what it writes to its error stream, with a header per start; when full, it is
 * set aside once. Written at once, so that the last words of a crash are there.
 */
export function openServerLog(server: string, options: ServerLogOptions): ServerLog {
  mkdirSync(options.folder, { recursive: true, mode: 0o700 });
  const path = join(options.folder, `mcp-${server.replace(/[^\w.-]/g, "_")}.log`);
  let size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const write = (text: string): void => {
    const line = options.redact(text);
    if (size > 0 && size + line.length > maxBytes) {
      renameSync(path, `${path}.1`);
      size = 0;
    }
    appendFileSync(path, line.slice(0, maxBytes), { mode: 0o600 });
    size += Buffer.byteLength(line);
  };
  write(`--- ${new Date(options.now()).toISOString()} ${server} ---\n`);
  return { write };
}
