import type { ToolTask } from "../../../contract/session-scope.ts";
import type { Terminal, TerminalOpener } from "../../../contract/terminal.ts";

/** Opens terminals that share one client of a service. After a failure the next terminal gets a new client: the old one may be the cause. */
export function withSharedClient<Client>(
  connect: (signal: AbortSignal) => Promise<Client>,
  open: (at: { readonly client: Client; readonly task: ToolTask }, signal: AbortSignal) => Promise<Terminal>,
): TerminalOpener {
  let client: Promise<Client> | undefined;
  return async (task, signal) => {
    client ??= connect(signal);
    try {
      return await open({ client: await client, task }, signal);
    } catch (error) {
      client = undefined;
      throw error;
    }
  };
}
