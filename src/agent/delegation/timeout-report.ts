import path from "node:path";
import { describe } from "#foundation/errors";
import { ensureDir, writeFileAtomic } from "#foundation/files/files";
import type { Logger } from "#foundation/files/logger";
import type { ChildRecord } from "./child-record.ts";
import type { ChildSpec } from "./child-spec.ts";

export interface TimeoutReport {
  readonly spec: ChildSpec;
  readonly record: ChildRecord;
  readonly nowMs: number;
  readonly durationMs: number;
  /** What the child was doing: waiting for its parts, or for the model. */
  readonly hasStarted: boolean;
}

export interface ReportDeps {
  readonly logsFolder: string | undefined;
  readonly logger: Logger;
  redact?(text: string): string;
}

/** Writes down what is known about a child that never got an answer; the path, or undefined when that failed too. */
export async function writeTimeoutReport(report: TimeoutReport, deps: ReportDeps): Promise<string | undefined> {
  if (deps.logsFolder === undefined) return undefined;
  const stamp = new Date(report.nowMs).toISOString().replace(/[:.]/g, "-");
  const file = path.join(deps.logsFolder, `subagent-timeout-${report.spec.id}-${stamp}.log`);
  const text = reportText(report);
  try {
    await ensureDir(deps.logsFolder);
    await writeFileAtomic(file, deps.redact?.(text) ?? text, { mode: 0o600 });
    return file;
  } catch (error) {
    deps.logger.warn("the report on a child could not be written", { file, reason: describe(error) });
    return undefined;
  }
}

function reportText({ spec, record, nowMs, durationMs, hasStarted }: TimeoutReport): string {
  const { target } = spec.conversation;
  const facts: readonly (readonly [string, string | number])[] = [
    ["child", spec.id],
    ["time", new Date(nowMs).toISOString()],
    ["ran for", `${Math.round(durationMs / 1000)} s`],
    ["parent session", spec.parent.sessionId],
    ["child session", spec.conversation.sessionId],
    ["role and depth", `${spec.role}, ${spec.depth}`],
    ["provider", target.provider],
    ["model", target.model],
    ["endpoint", target.baseUrl],
    ["wire", target.protocol],
    ["got as far as", hasStarted ? "its first request" : "having its parts built"],
    ["attempts", record.attempts],
    ["answers", record.replies],
    ["last event", record.lastEvent],
    ["tools", [...spec.listing.names].join(", ") || "none"],
    ["goal", spec.task.goal],
  ];
  return `${facts.map(([name, value]) => `${name}: ${value}`).join("\n")}\n`;
}
