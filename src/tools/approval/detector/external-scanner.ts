import { describe, HermesError } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { runProcess } from "#foundation/process/run";
import { isRecord, parseJson } from "#foundation/text/json";
import { truncateEnd } from "#foundation/text/text";
import type { Finding } from "../../contract/approval-request.ts";

/** Looks at what a command is made of, and names what somebody should see before it runs. */
export type CommandScanner = (command: string, signal: AbortSignal) => Promise<readonly Finding[]>;

export interface ExternalScannerOptions {
  /** `security.tirith_path`: a name to be found on the path, or a path. */
  readonly program: string;
  readonly timeoutMs: number;
  /** `security.tirith_fail_open`: true lets commands pass when the scanner does not work. */
  readonly failOpen: boolean;
  /** What the program sees of our environment; no secrets. */
  env(): Readonly<Record<string, string>>;
  readonly logger: Logger;
}

const mostFindings = 50;
const longestText = 500;

/**
 * A scanner that is a program of its own: exit 0 says nothing, 1 and 2 say that somebody should look, with
 * the reasons as JSON. A program that is not installed is not missed.
 */
export function externalScanner(options: ExternalScannerOptions): CommandScanner {
  let isMissing = false;
  return async (command, signal) => {
    if (isMissing) return [];
    try {
      const args = ["check", "--json", "--non-interactive", "--shell", "posix", "--", command];
      const { program, timeoutMs } = options;
      const ended = await runProcess(program, args, { timeoutMs, env: options.env(), signal });
      signal.throwIfAborted();
      if (ended.exitCode === 0) return [];
      if (ended.exitCode === 1 || ended.exitCode === 2) return readFindings(ended.stdout, ended.exitCode === 1);
      return broken(options, ended.timedOut ? `no answer within ${timeoutMs} ms` : `exit code ${ended.exitCode}`);
    } catch (error) {
      signal.throwIfAborted();
      if (isNotFound(error) && options.failOpen) {
        isMissing = true;
        options.logger.debug("no command scanner is installed", { program: options.program });
        return [];
      }
      return broken(options, describe(error));
    }
  };
}

/** All findings of several scanners. */
export function combineScanners(...scanners: readonly CommandScanner[]): CommandScanner {
  return async (command, signal) => (await Promise.all(scanners.map((scan) => scan(command, signal)))).flat();
}

function readFindings(stdout: string, isBlock: boolean): readonly Finding[] {
  const parsed = parseJson(stdout);
  const report = parsed.ok && isRecord(parsed.value) ? parsed.value : {};
  const list = Array.isArray(report["findings"]) ? report["findings"].slice(0, mostFindings) : [];
  const findings = list.flatMap((raw: unknown): Finding[] => {
    if (!isRecord(raw) || typeof raw["rule_id"] !== "string" || raw["rule_id"] === "") return [];
    const texts = [raw["title"], raw["description"]].filter((text) => typeof text === "string" && text !== "");
    const severity = typeof raw["severity"] === "string" ? ` (${raw["severity"]})` : "";
    return [finding(raw["rule_id"].slice(0, 100), `${texts.join(": ") || "no reason given"}${severity}`)];
  });
  if (findings.length > 0) return findings;
  const summary = typeof report["summary"] === "string" && report["summary"] !== "" ? report["summary"] : undefined;
  return [finding(isBlock ? "block" : "warn", summary ?? "the command scanner objects, without saying why")];
}

function broken({ failOpen, logger }: ExternalScannerOptions, why: string): readonly Finding[] {
  logger.warn("the command scanner failed", { why: truncateEnd(why, longestText), goesOn: failOpen });
  return failOpen ? [] : [finding("unavailable", "the command scanner failed, so nobody has looked at this command")];
}

function finding(id: string, description: string): Finding {
  return {
    key: `tirith:${id}`,
    description: truncateEnd(description.replace(/\p{Cc}+/gu, " "), longestText),
    severity: "ask",
    source: "scanner",
  };
}

function isNotFound(error: unknown): boolean {
  return error instanceof HermesError && error.code === "process_not_started" && error.data?.["code"] === "ENOENT";
}
