import { editConfig } from "#config";
import type { Invocation } from "../../command.ts";
import { argument, hasFlag } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { agreed } from "../../support/ask.ts";
import { editOptions } from "../../support/settings.ts";
import { openMcpAccess, serverSettings } from "./open.ts";

export async function mcpRemove(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const parts = await openMcpAccess(invocation);
  const name = argument(invocation, 0);
  if (!Object.hasOwn(parts.loaded.config.mcp_servers, name)) serverSettings(parts, name);
  if (
    !(await agreed(`Remove the MCP server ${name} and its login?`, {
      io: invocation.io,
      isYes: hasFlag(invocation, "yes"),
    }))
  ) {
    out.line("Nothing was removed.");
    return 1;
  }
  await editConfig([{ kind: "unset", path: ["mcp_servers", name] }], editOptions(invocation, parts.home));
  await parts.oauth.logout(name);
  out.document({ removed: name });
  out.line(`Removed ${name}.`);
  return 0;
}
