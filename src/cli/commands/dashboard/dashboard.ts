import { readFile } from "node:fs/promises";
import { UserError } from "#foundation/errors";
import { Secret } from "#foundation/secrets/secret";
import { systemClock } from "#foundation/time/clock";
import { exitCodes, type Invocation } from "../../command.ts";
import { flagNumber, flagText, hasFlag } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { isHeadless, openInBrowser } from "../../support/browser.ts";
import { loadSettings } from "../../support/settings.ts";
import { version } from "../../version.ts";
import { dashboardAbilities } from "./abilities.ts";
import { gatewayProcesses } from "./gateway.ts";
import { dashboardKeys } from "./keys.ts";
import { dashboardMemory } from "./memory.ts";

/** `hermes dashboard`: the page, in the foreground. */
export async function dashboard(invocation: Invocation): Promise<number> {
  const { io, global } = invocation;
  const out = new Output(invocation);
  const address = {
    host: flagText(invocation, "host") ?? "127.0.0.1",
    port: flagNumber(invocation, "port", { usual: 9119, min: 0, max: 65_535 }),
    publicUrl: publicUrlOf(flagText(invocation, "public-url")),
    isInsecure: hasFlag(invocation, "insecure"),
    tls: await tlsOf(flagText(invocation, "tls-cert"), flagText(invocation, "tls-key")),
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
  const written = hermes.loaded.environment.variables["HERMES_DASHBOARD_PASSWORD"] ?? "";
  const password = written === "" ? undefined : new Secret(written);
  const { home, logger, store, sessions, jobs, toolbox } = hermes;
  const profileArgs = global.profile === undefined ? [] : ["--profile", global.profile];
  const onReady = (url: string): void => {
    out.document({ url });
    out.line(`The dashboard is at ${url}`);
    out.line(
      url.includes("#token=")
        ? "Anyone with this address can do what you can. Ctrl-C stops it."
        : "Anyone who knows its password can do what you can. Ctrl-C stops it.",
    );
    if (!hasFlag(invocation, "no-open") && !isHeadless(io.env)) void openInBrowser(url, io);
  };
  await serveDashboard(
    {
      address: { ...address, password },
      pageFolder: packageFolder("dist/dashboard-page") ?? "",
      version,
      home,
      env: io.env,
      sessions,
      store,
      jobs,
      memory: dashboardMemory(invocation),
      abilities: dashboardAbilities(invocation),
      keys: dashboardKeys,
      gateway: () => gatewayProcesses(home),
      tabs: () => hermes.plugins.dashboardTabs,
      clock: systemClock,
      logger: logger.child({ component: "dashboard" }),
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

async function tlsOf(cert: string | undefined, key: string | undefined) {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined)
    throw new UserError("--tls-cert and --tls-key must be used together.", { code: "bad_tls", exitCode: 2 });
  const read = (file: string): Promise<Buffer> =>
    readFile(file).catch((cause: unknown) => {
      throw new UserError(`${file} cannot be read.`, { code: "bad_tls", exitCode: 2, cause });
    });
  return { cert: await read(cert), key: await read(key) };
}

function publicUrlOf(text: string | undefined): URL | undefined {
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "https:") return url;
  throw new UserError(`--public-url takes an address that begins with https://, not ${text}.`, {
    hint: "The proxy has to provide TLS and ask for a password.",
    code: "bad_public_url",
    exitCode: 2,
  });
}
