import { newId } from "#foundation/text/ids";
import type { HostAnswer, WantedHost } from "../network/session-network.ts";
import type { WallOwner } from "./wall.ts";

/** Asks the person of a session whether its programs or tools may connect to a host. */
export async function askHost(owner: WallOwner, to: WantedHost, signal: AbortSignal): Promise<HostAnswer> {
  const { approver, key, userId } = owner;
  const about = { sessionKey: key, taskId: key };
  if (approver.canAsk?.(about) === false) return "nobody";
  const what = `${to.host}:${to.port}`;
  const answer = await approver.ask(
    {
      id: newId("apr"),
      tool: "network",
      summary: to.about === undefined ? `Connect to ${what}` : `Open ${to.about.address}`,
      findings: [
        {
          key: `network ${what}`,
          description:
            to.about === undefined
              ? `a command wants to connect to ${what}, which is not an allowed host`
              : `${to.about.tool} wants to open an address at ${what}, which is not an allowed host: ${to.about.why}`,
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
  const choice = typeof answer === "string" ? answer : answer.choice;
  // An answer that was not offered counts as the next smaller one.
  if (choice === "folder") return "once";
  return choice === "always" && userId !== undefined ? "session" : choice;
}
