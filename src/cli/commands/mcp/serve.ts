import { defined } from "#foundation/defined";
import { systemClock } from "#foundation/time/clock";
import { createConversations } from "#session";
import { exitCodes, type Invocation } from "../../command.ts";
import { flagNumber, hasFlag } from "../../invocation.ts";
import { usageError } from "../../usage-error.ts";
import { version } from "../../version.ts";

/** `hermes mcp serve`: other programs read the conversations and talk to Hermes. Standard output is theirs alone. */
export async function mcpServe(invocation: Invocation): Promise<number> {
  const { io, global } = invocation;
  const isHttp = hasFlag(invocation, "http");
  if (hasFlag(invocation, "port") && !isHttp)
    throw usageError("--port is for --http.", "Without --http the server speaks over standard input and output.");
  const port = flagNumber(invocation, "port", { usual: 0, min: 0, max: 65_535 });
  const [{ openHermes }, { serveHttp, serveStdio }] = await Promise.all([import("#app"), import("#mcp-server")]);
  const say = (text: string): void => void io.stderr.write(`${text}\n`);
  await using hermes = await openHermes({
    env: io.env,
    cwd: io.cwd,
    version,
    onNotice: (text) => say(`! ${text}`),
    ...defined({ profile: global.profile, ignoreUserConfig: global.ignoresUserConfig }),
  });
  const served = {
    sessions: hermes.sessions,
    conversations: createConversations(hermes.store),
    clock: systemClock,
    logger: hermes.logger,
    version,
    cwd: io.cwd,
    isReadOnly: hasFlag(invocation, "read-only"),
    allowsAlways: hermes.loaded.config.mcp_server.allow_always,
    redact: (text: string) => hermes.toolbox.redact(text),
  };
  if (isHttp) {
    const token = hermes.loaded.environment.variables["HERMES_MCP_SERVER_TOKEN"]?.trim() ?? "";
    const onReady = (location: { readonly url: string; readonly token: string }): void => {
      say(`Serving at ${location.url}`);
      if (token === "") say(`Clients need the header: Authorization: Bearer ${location.token}`);
    };
    await serveHttp(served, { port, token, onReady }, io.signal);
    return exitCodes.ok;
  }
  if (io.stdin.isTTY === true) say("Waiting for an MCP client on standard input. Ctrl-D stops it.");
  await serveStdio(served, { input: io.stdin, output: io.stdout }, io.signal);
  return exitCodes.ok;
}
