import { UserError } from "#foundation/errors";
import { systemClock } from "#foundation/time/clock";
import { exitCodes, type Invocation } from "../../command.ts";
import { flagNumber, flagText, hasFlag } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { isHeadless, openInBrowser } from "../../support/browser.ts";
import { loadSettings } from "../../support/settings.ts";
import { version } from "../../version.ts";
import { dashboardAbilities } from "./abilities.ts";
import { gatewayProcesses } from "./gateway.ts";
import { dashboardMemory } from "./memory.ts";

/** `hermes dashboard`: the page, in the foreground. */
export async function dashboard(invocation: Invocation): Promise<number> {
  const { io, global } = invocation;
  const out = new Output(invocation);
  const address = {
    host: flagText(invocation, "host") ?? "127.0.0.1",
    port: flagNumber(invocation, "port", { usual: 9119, min: 0, max: 65_535 }),
    publicUrl: publicUrlOf(flagText(invocation, "public-url")),
  };
  const [{ openHermes, packageFolder }, { serveDashboard }] = await Promise.all([import("#app"), import("#dashboard")]);
  await using hermes = await openHermes({
    env: io.env,
    cwd: io.cwd,
    version,
    onNotice: (text) => out.note(`! ${text}`),
    profile: global.profile,
    ignoreUserConfig: global.ignoresUserConfig,
  });
  const { home, logger, store, sessions, jobs, toolbox } = hermes;
  const profileArgs = global.profile === undefined ? [] : ["--profile", global.profile];
  const onReady = (url: string): void => {
    out.document({ url });
    out.line(`The dashboard is at ${url}`);
    out.line("Whoever has this address can do what you can. Ctrl-C ends it.");
    if (!hasFlag(invocation, "no-open") && !isHeadless(io.env)) void openInBrowser(url, io);
  };
  await serveDashboard(
    {
      address,
      pageFolder: packageFolder("dist/dashboard-page") ?? "",
      version,
      home,
      env: io.env,
      sessions,
      store,
      jobs,
      memory: dashboardMemory(invocation),
      abilities: dashboardAbilities(invocation),
      gateway: () => gatewayProcesses(home),
      tabs: () => hermes.plugins.dashboardTabs,
      clock: systemClock,
      logger,
      cwd: io.cwd,
      terminalProgram: [process.execPath, process.argv[1] ?? "", ...profileArgs, "chat"],
      loadSettings: async () => (await loadSettings(invocation, { isQuiet: true })).loaded,
      redact: (text) => toolbox.redact(text),
      onReady,
    },
    io.signal,
  );
  return exitCodes.ok;
}

function publicUrlOf(text: string | undefined): URL | undefined {
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "https:") return url;
  throw new UserError(`--public-url takes an address that begins with https://, not ${text}.`, {
    hint: "The proxy has to bring TLS and ask for a password.",
    code: "bad_public_url",
    exitCode: 2,
  });
}
