import { homedir } from "node:os";
import { UserError } from "#foundation/errors";
import { systemClock } from "#foundation/time/clock";
import { exitCodes, type Invocation } from "../../command.ts";
import { version } from "../../version.ts";

/** `hermes gateway run`: serves the chat platforms in the foreground. */
export async function gatewayRun(invocation: Invocation): Promise<number> {
  const { io, global } = invocation;
  const say = (text: string): void => void io.stderr.write(`${text}\n`);
  const [{ openHermes }, { enabledPlatforms, runGateway }] = await Promise.all([import("#app"), import("#gateway")]);
  await using hermes = await openHermes({
    env: io.env,
    cwd: io.cwd,
    version,
    onNotice: (text) => say(`! ${text}`),
    profile: global.profile,
    ignoreUserConfig: global.ignoresUserConfig,
  });
  const { config } = hermes.loaded;
  const platforms = await enabledPlatforms(config);
  if (platforms.length === 0)
    throw new UserError("No chat platform is set up.", {
      hint: "Set TELEGRAM_BOT_TOKEN in ~/.hermes/.env, for example.",
    });
  await runGateway(
    {
      config,
      store: hermes.store,
      sessions: hermes.sessions,
      platforms,
      home: hermes.home,
      env: hermes.loaded.environment.variables,
      userHome: io.env["HOME"] ?? homedir(),
      cwd: io.cwd,
      clock: systemClock,
      logger: hermes.logger,
      onState(platform, state) {
        const why = "errorMessage" in state ? `: ${state.errorMessage}` : "";
        say(`${platform}: ${state.state}${why}`);
      },
    },
    io.signal,
  );
  return exitCodes.ok;
}
