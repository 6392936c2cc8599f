import { systemClock } from "#foundation/time/clock";
import { exitCodes, type Invocation } from "../command.ts";
import { flagNumber, flagText } from "../invocation.ts";
import { Output } from "../output/output.ts";
import { serveApiOf } from "../support/api-server.ts";
import { version } from "../version.ts";

/** `hermes api`: the HTTP API alone, in the foreground. */
export async function api(invocation: Invocation): Promise<number> {
  const { io, global } = invocation;
  const out = new Output(invocation);
  const host = flagText(invocation, "host");
  const port = flagText(invocation, "port");
  const env: NodeJS.ProcessEnv = { ...io.env };
  if (host !== undefined) env["API_SERVER_HOST"] = host;
  if (port !== undefined)
    env["API_SERVER_PORT"] = String(flagNumber(invocation, "port", { usual: 8642, min: 0, max: 65_535 }));
  const { openHermes } = await import("#app");
  await using hermes = await openHermes({
    env,
    cwd: io.cwd,
    version,
    onNotice: (text) => out.note(`! ${text}`),
    profile: global.profile,
    ignoreUserConfig: global.ignoresUserConfig,
  });
  const startedAtMs = systemClock.now();
  const onReady = (url: string): void => {
    out.document({ url, started_at_ms: startedAtMs });
    out.line(`The API is served at ${url}/v1. Ctrl-C stops it.`);
  };
  await serveApiOf({ hermes, cwd: io.cwd, onReady }, io.signal);
  return exitCodes.ok;
}
