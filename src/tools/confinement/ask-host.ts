import { newId } from "#foundation/text/ids";
import type { Destination } from "../network/host-rules.ts";
import type { HostAnswer } from "../network/session-network.ts";
import type { WallOwner } from "./wall.ts";

/** Asks the person of a session whether its programs may connect to a host. */
export async function askHost(owner: WallOwner, to: Destination, signal: AbortSignal): Promise<HostAnswer> {
  const { approver, key, userId } = owner;
  const about = { sessionKey: key, taskId: key };
  if (approver.canAsk?.(about) === false) return "nobody";
  const what = `${to.host}:${to.port}`;
  const answer = await approver.ask(
    {
      id: newId("apr"),
      tool: "network",
      summary: `Connect to ${what}`,
      findings: [
        {
          key: `network ${what}`,
          description: `a command wants to connect to ${what}, which is not an allowed host`,
          severity: "ask",
          source: "policy",
        },
      ],
      // What is allowed for good holds for the whole home, so only its owner is offered that.
      choices: userId === undefined ? ["once", "session", "always", "deny"] : ["once", "session", "deny"],
      scopes: {
        once: `${what}, one connection`,
        session: `${what}, until this session ends`,
        always: `${what}, in every session from now on (saved)`,
      },
      isDestructive: false,
      ...about,
    },
    signal,
  );
  return typeof answer === "string" ? answer : answer.choice;
}
