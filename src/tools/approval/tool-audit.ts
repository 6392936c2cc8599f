import { createHash } from "node:crypto";
import type { ToolCall } from "#conversation";
import { defined } from "#foundation/defined";
import { openLogger } from "#foundation/files/logger";
import { canonicalJson } from "#foundation/text/json";
import { truncateEnd } from "#foundation/text/text";
import type { Clock } from "#foundation/time/clock";
import type { CallObserver, CallOutcome } from "../contract/call-state.ts";
import type { AuditEntry } from "./audit.ts";

/** `security.audit`: nothing, one short line for each call, or a line with arguments and result. */
export type AuditDetail = "off" | "summary" | "full";

export interface ToolAuditOptions {
  readonly file: string;
  readonly detail: AuditDetail;
  readonly redactor: { redactDeep(value: unknown): unknown };
  readonly clock: Clock;
  readonly onProblem: (message: string) => void;
  /** Size at which the file is set aside (default 20 MiB); nothing is ever rewritten. */
  readonly maxBytes?: number;
  readonly keep?: number;
}

/** Whose calls are recorded. */
export interface AuditedTurn {
  readonly sessionId: string;
  readonly sessionKey: string;
  readonly taskId: string;
  readonly surface: string;
}

/**
 * The record of what tools did: exactly one line for each call, written when it ended, with what the gate
 * decided about it meanwhile. A full disk never stops a call.
 */
export interface ToolAudit extends AsyncDisposable {
  /** Give it the decisions of the gate; those that name a call are joined to its line. */
  decided(entry: AuditEntry): void;
  /** Must come last among the observers, so that it sees the arguments as they ran. */
  observe(turn: AuditedTurn): CallObserver;
}

const previewLength = 200;
const fullLength = 20_000;

export function toolAudit(options: ToolAuditOptions): ToolAudit {
  if (options.detail === "off")
    return { decided: () => undefined, observe: () => ({}), [Symbol.asyncDispose]: () => Promise.resolve() };
  const log = openLogger({
    file: options.file,
    redact: options.redactor,
    clock: options.clock,
    onProblem: options.onProblem,
    maxBytes: options.maxBytes ?? 20 * 1024 * 1024,
    keep: options.keep ?? 5,
  });
  const decisions = new Map<string, AuditEntry[]>();
  return {
    decided(entry) {
      if (entry.callId === undefined) return;
      const key = keyOf(entry.taskId, entry.callId);
      const known = decisions.get(key);
      // Only calls that are under way are remembered, so that nothing piles up.
      known?.push(entry);
    },
    observe(turn) {
      const running = new Map<string, Readonly<Record<string, unknown>>>();
      const remember = (call: ToolCall, args: Readonly<Record<string, unknown>>): void => {
        running.set(call.id, args);
      };
      return {
        onStart(call, args) {
          remember(call, args);
          decisions.set(keyOf(turn.taskId, call.id), []);
        },
        beforeCall(call, args) {
          remember(call, args);
          return Promise.resolve(undefined);
        },
        onEnd(outcome) {
          const key = keyOf(turn.taskId, outcome.call.id);
          const args = running.get(outcome.call.id) ?? {};
          const line = lineOf({ outcome, args, turn, decided: decisions.get(key) ?? [] }, options);
          running.delete(outcome.call.id);
          decisions.delete(key);
          log.info("tool call", line);
        },
      };
    },
    [Symbol.asyncDispose]: () => log[Symbol.asyncDispose](),
  };
}

interface Ended {
  readonly outcome: CallOutcome;
  readonly args: Readonly<Record<string, unknown>>;
  readonly turn: AuditedTurn;
  readonly decided: readonly AuditEntry[];
}

function lineOf(ended: Ended, { detail, redactor }: ToolAuditOptions): Readonly<Record<string, unknown>> {
  const { outcome, args, turn, decided } = ended;
  const exitCode = outcome.details?.kind === "command" ? outcome.details.exitCode : undefined;
  const why = decided.map((entry) => entry.why).filter((text) => text !== "");
  // Masked before it is cut: half a secret would no longer be recognised.
  const shown = JSON.stringify(redactor.redactDeep(args));
  return {
    session: turn.sessionId,
    session_key: turn.sessionKey,
    task: turn.taskId,
    surface: turn.surface,
    call_id: outcome.call.id,
    tool: outcome.call.function.name,
    args_sha256: createHash("sha256").update(canonicalJson(args)).digest("hex"),
    args_preview: truncateEnd(shown, previewLength),
    outcome: outcome.kind,
    decision: decisionOf(decided),
    keys: [...new Set(decided.flatMap((entry) => entry.keys))],
    ...(why.length === 0 ? {} : { why: truncateEnd(why.join("; "), previewLength) }),
    duration_ms: outcome.durationMs,
    ...defined({ exit_code: exitCode }),
    ...(detail === "full"
      ? { args: truncateEnd(shown, fullLength), result: truncateEnd(outcome.text, fullLength) }
      : {}),
  };
}

/** `free`: nothing about the call needed a decision. */
function decisionOf(decided: readonly AuditEntry[]): string {
  if (decided.some((entry) => entry.verdict === "blocked")) return "denied";
  const choice = decided.find((entry) => entry.choice !== undefined)?.choice;
  if (choice !== undefined) return `approved:${choice}`;
  return decided.length > 0 ? "allowed" : "free";
}

/** Ids of calls are the provider's and need not differ between tasks. */
function keyOf(taskId: string, callId: string): string {
  return `${taskId}\n${callId}`;
}
