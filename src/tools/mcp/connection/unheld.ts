import { newId } from "#foundation/text/ids";
import type { McpServerSettings } from "../../contract/mcp-settings.ts";
import type { SessionScope } from "../../contract/session-scope.ts";

/** Whether a server may run where nothing holds its program inside; undefined until somebody was asked. */
export interface UnheldAnswer {
  mayRun?: boolean;
  /** It was not started, for nobody has been asked yet. */
  isUnheard?: boolean;
}

/** Asks whoever sits at a session, once; undefined where nobody does. A no, and no answer, is an answer. */
export async function askUnheld(
  { name, endpoint }: McpServerSettings,
  scope: SessionScope,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  const about = { sessionKey: scope.key, taskId: `mcp ${name}` };
  if (endpoint.kind !== "stdio" || scope.approver.canAsk?.(about) === false) return undefined;
  const finding = {
    key: `mcp ${name} without a sandbox`,
    description: "no sandbox works on this machine, so the program of this server would have your own rights",
    severity: "ask",
    source: "policy",
    isExact: true,
  } as const;
  const answer = await scope.approver.ask(
    {
      id: newId("apr"),
      tool: `mcp ${name}`,
      summary: `Start ${[endpoint.command, ...endpoint.args].join(" ")}`,
      findings: [finding],
      choices: ["session", "deny"],
      scopes: { once: "", session: "this server, until Hermes ends", always: "" },
      isDestructive: false,
      ...about,
    },
    signal,
  );
  return (typeof answer === "string" ? answer : answer.choice) !== "deny";
}
