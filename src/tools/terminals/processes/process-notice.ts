import type { Logger } from "#foundation/files/logger";
import type { SessionScope } from "../../contract/session-scope.ts";
import type { ProcessEvent } from "./process-event.ts";
import type { UnclaimedReports } from "./unclaimed-reports.ts";

/** Which reports a person wants: everything, only how processes ended, only those that failed, none. */
export type ProcessReports = "all" | "result" | "error" | "off";

type Notice =
  | { readonly kind: "notice"; readonly text: string }
  | { readonly kind: "unwanted" }
  /** Concerns no session, but whoever looks after the program. */
  | { readonly kind: "alarm" };

/** What a background process reports on its own, as words for the session that started it. */
function processNotice(event: ProcessEvent, wanted: ProcessReports): Notice {
  if (event.type === "watch_overflow_tripped" || event.type === "watch_overflow_released") return { kind: "alarm" };
  if (!isWanted(event, wanted)) return { kind: "unwanted" };
  return { kind: "notice", text: reportText(event) };
}

/** Brings reports of background processes to the sessions that started them, as far as they are wanted. */
export function reportTo({
  wanted,
  logger,
  unclaimed,
}: {
  readonly wanted: ProcessReports;
  readonly logger: Logger;
  readonly unclaimed: UnclaimedReports;
}): (event: ProcessEvent, scope: SessionScope | undefined) => void {
  return (event, scope) => {
    const notice = processNotice(event, wanted);
    if (notice.kind === "alarm") logger.warn("background processes report too much", { ...event });
    if (notice.kind !== "notice") return;
    const isTaken = scope?.deliver({ text: notice.text, how: "queue", isVerbatim: true }) ?? false;
    if (isTaken || !("session_key" in event)) return;
    logger.info("the session of a background process is not open", { type: event.type });
    unclaimed.add({ sessionKey: event.session_key, processId: event.session_id, text: notice.text });
  };
}

type Report = Exclude<ProcessEvent, { readonly type: "watch_overflow_tripped" | "watch_overflow_released" }>;

function isWanted(event: Report, wanted: ProcessReports): boolean {
  switch (wanted) {
    case "all":
      return true;
    case "result":
      return event.type === "completion";
    case "error":
      return event.type === "completion" && event.exit_code !== 0;
    case "off":
      return false;
  }
}

function reportText(event: Report): string {
  if (event.type === "completion") {
    const code = event.exit_code === null ? "unknown" : String(event.exit_code);
    const facts = [`[The background process ${event.session_id} has ended]`, `Exit code: ${code}`];
    return lines(facts, event, event.output);
  }
  if (event.type === "watch_match") {
    const dropped = event.suppressed === 0 ? [] : [`${event.suppressed} matches before were not reported.`];
    const facts = [
      `[The background process ${event.session_id} printed what is watched for: ${event.pattern}]`,
      "It is still running.",
      ...dropped,
    ];
    return lines(facts, event, event.output);
  }
  const facts = [
    `[The background process ${event.session_id} printed too much of what is watched for]`,
    `${event.suppressed} matches were not reported, and it is not watched any more. Its end will be.`,
  ];
  return lines(facts, event, "");
}

function lines(facts: readonly string[], event: { readonly command: string }, output: string): string {
  const [head, ...rest] = facts;
  const printed = output.trim() === "" ? [] : ["Output:", output.trimEnd()];
  return [head, `Command: ${event.command}`, ...rest, ...printed].join("\n");
}
