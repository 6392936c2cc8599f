import { builtinCommands } from "#session";
import { gatewayCommands } from "../chats/gateway-commands.ts";
import type { MenuCommand } from "../platform/platform.ts";

/** What chats can be offered: the session's own commands that work there, and the gateway's. */
export function menuCommands(): readonly MenuCommand[] {
  const shared = builtinCommands.filter(
    ({ cliOnly, gatewayConfigGate }) => !cliOnly && gatewayConfigGate === undefined,
  );
  return [
    ...shared.map(({ name, description, argsHint }) => ({ name, description, argument: argsHint })),
    ...gatewayCommands,
  ];
}
