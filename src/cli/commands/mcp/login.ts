import { UserError } from "#foundation/errors";
import { systemClock } from "#foundation/time/clock";
import type { Invocation } from "../../command.ts";
import { argument, hasFlag } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { isHeadless, openInBrowser } from "../../support/browser.ts";
import { openMcpAccess, serverSettings } from "./open.ts";

export async function mcpLogin(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { io } = invocation;
  const parts = await openMcpAccess(invocation);
  const name = argument(invocation, 0);
  const { endpoint } = serverSettings(parts, name);
  if (endpoint.kind === "stdio" || endpoint.oauth === undefined)
    throw new UserError(`${name} is not set up for a login.`, {
      code: "mcp_login_unsupported",
      hint: `If it needs one: hermes config set mcp_servers.${name}.auth oauth`,
    });
  const server = { name, url: endpoint.url, oauth: endpoint.oauth };
  if (hasFlag(invocation, "device")) {
    const show = (code: { readonly url: string; readonly code: string }): void =>
      out.note(`Open ${code.url}\nand enter the code ${code.code}`);
    const outcome = await parts.oauth.loginByDevice(server, { clock: systemClock, show }, io.signal);
    if (outcome === "unsupported")
      throw new UserError(`${name} has no code login.`, {
        code: "mcp_login_unsupported",
        hint: `Try: hermes mcp login ${name}`,
      });
  } else {
    const hasBrowser = !hasFlag(invocation, "no-browser") && !isHeadless(io.env);
    await parts.oauth.login(
      server,
      {
        show: (url) => out.note(`Open ${url}`),
        ...(hasBrowser ? { openBrowser: (url: string) => openInBrowser(url, io) } : {}),
      },
      io.signal,
    );
  }
  out.document({ server: name, is_logged_in: true });
  out.line(`Logged in to ${name}.`);
  return 0;
}
