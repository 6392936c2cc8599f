import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import type { Clock } from "#foundation/time/clock";
import type { PreparedRequest } from "../prepare.ts";
import type { ModelRequest } from "../request.ts";

export interface RequestDumpDeps {
  readonly folder: string;
  readonly clock: Clock;
  readonly logger: Logger;
  redact(text: string): string;
}

export type RequestDump = (request: ModelRequest, prepared: PreparedRequest) => Promise<void>;

/** Keeps every request as it goes out, without its credential, for whoever looks for what a model was really told. */
export function openRequestDump({ folder, clock, logger, redact }: RequestDumpDeps): RequestDump {
  let count = 0;
  return async ({ target }, { wire, url, headers }) => {
    const time = new Date(clock.now()).toISOString();
    count += 1;
    const name = `${time.replaceAll(/[:.]/g, "-")}-${process.pid}-${String(count).padStart(4, "0")}.json`;
    const about = { time, provider: target.provider, model: target.model, method: wire.method, url: url.href, headers };
    const text = `${JSON.stringify(about).slice(0, -1)},"body":${wire.body}}\n`;
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeFile(path.join(folder, name), redact(text), { mode: 0o600 });
    } catch (error) {
      logger.warn("a request could not be written down", { cause: describe(error) });
    }
  };
}
