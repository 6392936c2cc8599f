import { spawn } from "node:child_process";
import { homedir } from "node:os";
import type { Hermes } from "#app";
import { changeSetting, formatWarning } from "#config";
import { UserError } from "#foundation/errors";
import { quietly } from "#foundation/files/quietly";
import { linkSignals } from "#foundation/lifecycle/abort";
import { plural } from "#foundation/text/figures";
import { systemClock } from "#foundation/time/clock";
import type { GatewayDeps, GatewayEnd, InboundMessage, PlatformState } from "#gateway";
import type { GatewayHooks } from "#plugins";
import { exitCodes, type Invocation, replacedCode } from "../../command.ts";
import { flagList, hasFlag } from "../../invocation.ts";
import { homeOf } from "../../support/home.ts";
import { version } from "../../version.ts";
import { BootFile } from "./boot-file.ts";
import { startHosted } from "./hosted.ts";
import { remoteHermes } from "./remote.ts";

/** What service managers read as "start it again". */
const startAgain = 75;

/** `hermes gateway run`: serves the chat platforms in the foreground. */
export async function gatewayRun(invocation: Invocation): Promise<number> {
  const { io } = invocation;
  const home = homeOf(invocation);
  const { asMember, asOnlyInstance, isTakenOver } = await import("#gateway");
  const restart = new AbortController();
  const onRestart = (): void => restart.abort();
  process.on("SIGUSR1", onRestart);
  const signal = linkSignals(io.signal, restart.signal);
  const replaces = hasFlag(invocation, "replace");
  const isMember = flagList(invocation, "role").length > 0;
  if (isMember && replaces)
    throw new UserError("--replace replaces a whole gateway, but --role runs only a part of one.", {
      hint: "Start the new process and end the old one: hermes gateway status names it.",
    });
  try {
    const instance = { home, clock: systemClock, signal: io.signal };
    const work = () => serve(invocation, { signal, onRestart });
    const end = isMember ? await asMember(home, work) : await asOnlyInstance(instance, { replaces }, work);
    if (end === "hopeless") return exitCodes.ok;
    if (end === "unreachable") return exitCodes.failed;
    if (await isTakenOver(home, systemClock)) return replacedCode;
    if (!restart.signal.aborted) return exitCodes.failed;
    // Without a service manager nobody would start it again.
    if (isService(io.env)) return startAgain;
  } finally {
    process.off("SIGUSR1", onRestart);
  }
  const args = process.argv.slice(1).filter((arg) => arg !== "--replace" && arg !== "--keep-trying");
  spawn(process.execPath, [...args, ...(isMember ? [] : ["--replace"]), "--keep-trying"], {
    cwd: io.cwd,
    env: io.env,
    detached: true,
    stdio: "ignore",
  }).unref();
  return startAgain;
}

async function serve(
  invocation: Invocation,
  { signal, onRestart }: { readonly signal: AbortSignal; onRestart(): void },
): Promise<GatewayEnd> {
  const { io, global } = invocation;
  const say = (text: string): void => void io.stderr.write(`${text}\n`);
  const [{ openHermes }, gateway, { GatewayHooks }] = await Promise.all([
    import("#app"),
    import("#gateway"),
    import("#plugins"),
  ]);
  const { enabledPlatforms, runGateway, accessWarnings, openTargets, Pairing, settingWarnings } = gateway;
  await using hermes = await openHermes({
    env: io.env,
    cwd: io.cwd,
    version,
    onNotice: (text) => say(`! ${text}`),
    profile: global.profile,
    ignoreUserConfig: global.ignoresUserConfig,
  });
  const { config } = hermes.loaded;
  tellProblems(hermes, say);
  const platforms = await enabledPlatforms(config);
  const { isApiEnabled } = await import("#api-server");
  const named = flagList(invocation, "role");
  const roles = gateway.rolesOf(named.length > 0 ? named : config.gateway.roles, hermes.store);
  const remote = remoteHermes(hermes.loaded);
  // Whoever does the turns has the jobs and the API, too.
  const hasApi = roles.has("api") && remote === undefined && isApiEnabled(config);
  const hasChats = platforms.length > 0 && (roles.has("ingress") || roles.has("worker"));
  const hasScheduler = roles.has("scheduler") && remote === undefined;
  const hasJobs = async () => hasScheduler && (await hermes.store.jobs.list()).some(({ isEnabled }) => isEnabled);
  if (!hasChats && !hasApi && !(named.length > 0 && roles.has("scheduler")) && !(await hasJobs()))
    throw new UserError("No chat platform is set up.", {
      hint: "Run: hermes gateway setup",
    });
  const pairing = new Pairing(hermes.home.pairing, systemClock);
  if (roles.has("ingress")) {
    const warnings = [...(await accessWarnings(config, platforms, pairing)), ...settingWarnings(config, platforms)];
    for (const warning of warnings) say(`! ${warning}`);
  }
  if (remote !== undefined) say(`Turns run on ${new URL(remote.url).host}.`);
  else if (roles.has("worker")) void quietly("looking for the model", () => tellModel(hermes, say, signal), hermes);
  await using boot = new BootFile({ hermes, cwd: io.cwd, isHere: hasScheduler });
  await using hooks = new GatewayHooks({
    logger: hermes.logger,
    folder: hermes.home.hooks,
    env: hookEnvironment(io.env, hermes.home.root),
    variables: hermes.loaded.environment.variables,
    builtin: [boot.hook],
  });
  await hooks.load();
  const stateFile = named.length > 0 ? gateway.memberFile(hermes.home, process.pid) : hermes.home.gatewayState;
  const status = new gateway.StatusFile(stateFile, { clock: systemClock, roles });
  let hasOwnApi = hasApi;
  const unreachableMs = patienceOf(invocation, config.gateway.unreachable_exit_seconds);
  const hasOtherWork = async () => hasOwnApi || (await hasJobs());
  const opened = { hermes, remote, platforms, roles, status, hooks, unreachableMs, hasOtherWork };
  const deps = gatewayDeps(opened, { io, signal, say });
  const { deliverer, tool } = openTargets(deps);
  using _sends = hermes.toolbox.register(tool);
  using _restarts = hermes.store.signals.onAnnounced(onRestart);
  const onApiFailed = (): void => {
    hasOwnApi = false;
  };
  await using _hosted = startHosted({ hermes, deliverer, cwd: io.cwd, hasApi, hasScheduler, say, onApiFailed });
  const end = await runGateway(deps, signal);
  if (end === "unreachable")
    say(
      "No chat platform can be reached, so the gateway ends. If no service manager starts it, run: hermes gateway run",
    );
  return end;
}

/** A broken file does not stop it, so whoever starts it has to be told what it runs with instead. */
function tellProblems({ loaded, logger }: Hermes, say: (text: string) => void): void {
  for (const warning of loaded.warnings) {
    const text = formatWarning(warning);
    say(`! ${text}`);
    if (warning.severity === "error") logger.error("a problem of the settings", { text });
    else logger.warn("a problem of the settings", { text });
  }
}

/** Beside the start, which does not wait for it: whoever set a chat up should not wonder who answers there. */
async function tellModel({ models }: Hermes, say: (text: string) => void, signal: AbortSignal): Promise<void> {
  const found = await models.resolve({}, signal);
  if (found.kind === "target") return;
  if (found.code === "no_provider_configured")
    say("! No model is connected, so the built-in demo model answers. Connect one with: hermes setup");
  else say(`! ${found.message} ${found.hint}`);
}

/** How long it may do without any platform before it ends for its service manager to start it again. */
function patienceOf(invocation: Invocation, seconds: number): number {
  // A person who watches it, or a gateway that started itself anew, has no manager that would.
  const isOnItsOwn = process.stderr.isTTY === true || hasFlag(invocation, "keep-trying");
  return isOnItsOwn || seconds < 0 ? Number.POSITIVE_INFINITY : seconds * 1000;
}

interface Opened {
  readonly hermes: Hermes;
  readonly remote: GatewayDeps["remote"];
  readonly platforms: GatewayDeps["platforms"];
  readonly roles: GatewayDeps["roles"];
  readonly status: GatewayDeps["status"];
  readonly hooks: Pick<GatewayHooks, "fire">;
  readonly unreachableMs: number;
  hasOtherWork(): Promise<boolean>;
}

interface Around {
  readonly io: Invocation["io"];
  readonly signal: AbortSignal;
  say(text: string): void;
}

function gatewayDeps(opened: Opened, { io, signal, say }: Around): GatewayDeps {
  const { hermes, remote, platforms, roles, status, hooks, unreachableMs } = opened;
  const { config, environment } = hermes.loaded;
  return {
    config,
    configNow: async () => (await hermes.settingsNow()).config,
    remote,
    unreachableMs,
    hasOtherWork: () => opened.hasOtherWork(),
    store: hermes.store,
    sessions: hermes.sessions,
    roles,
    platforms,
    home: hermes.home,
    env: environment.variables,
    userHome: io.env["HOME"] ?? homedir(),
    cwd: io.cwd,
    clock: systemClock,
    logger: hermes.logger.child({ component: "gateway" }),
    status,
    async moreCommands(platform) {
      const { plugins, skills } = hermes;
      const { skillCommands } = await import("#skills");
      const taken = new Set(plugins.commands.map(({ name }) => name));
      const { commands } = skillCommands(await skills.library.visible(platform, signal), taken);
      const ofSkills = [...commands.values()].map(({ slug, skill }) => ({
        name: slug,
        description: skill.facts.description,
        isSkill: true as const,
      }));
      return [...plugins.commands.map(({ name, description = "" }) => ({ name, description })), ...ofSkills];
    },
    reports: {
      listen(take) {
        const { unclaimed, processes } = hermes.toolbox;
        void quietly("telling what ended with an earlier run", () => processes.tellEnded(), { logger: hermes.logger });
        return unclaimed.listen(take);
      },
    },
    sayAloud: (words, within) => hermes.toolbox.sayAloud(words, within),
    fire: (event, context) =>
      void quietly("telling the hooks", () => hooks.fire(event, context, io.signal), { logger: hermes.logger }),
    decide: async (event, context) => {
      try {
        return await hooks.fire(event, context, io.signal);
      } catch (error) {
        // The program ends; nobody decides anything any more.
        if (io.signal.aborted) return undefined;
        throw error;
      }
    },
    dispatch: async (key, message) => {
      const hooks = hermes.plugins.hooksFor(key);
      if (!hooks.has("pre_gateway_dispatch")) return { kind: "allow" };
      return await hooks.beforeDispatch({ event: eventOf(message), gateway: null, session_store: null }, io.signal);
    },
    async setHome({ source }: InboundMessage) {
      const { platform, chatId, threadId = "", chatName = "" } = source;
      const channel = { platform, chat_id: chatId, name: chatName, thread_id: threadId };
      await changeSetting(`platforms.${platform}.home_channel`, JSON.stringify(channel), {
        home: hermes.home,
        env: io.env,
        signal,
      });
    },
    onDraining(turns: number) {
      if (turns > 0) say(`Finishing ${plural(turns, "conversation")} first. Ctrl-C again stops at once.`);
    },
    onState(platform: string, state: PlatformState) {
      const why = "errorMessage" in state ? `: ${state.errorMessage}` : "";
      say(`${platform}: ${state.state}${why}`);
      status.platform(platform, state);
    },
  };
}

/** A message as plugins read it, by the names of the predecessor's events. */
function eventOf({ source, text, messageId, atMs, attachments }: InboundMessage): Readonly<Record<string, unknown>> {
  const { platform, chatId, chatType, chatName, threadId, userId, userName, isBot } = source;
  return {
    text,
    message_id: messageId ?? null,
    timestamp: new Date(atMs).toISOString(),
    media_types: attachments.map(({ mimeType, kind }) => mimeType ?? kind),
    source: {
      platform,
      chat_id: chatId,
      chat_type: chatType,
      chat_name: chatName ?? null,
      thread_id: threadId ?? null,
      user_id: userId ?? null,
      user_name: userName ?? null,
      is_bot: isBot === true,
    },
  };
}

/** What programs that are hooks see: nothing that could be a secret. */
function hookEnvironment(env: NodeJS.ProcessEnv, home: string): Record<string, string> {
  const { PATH = "/usr/bin:/bin", HOME = "", LANG = "C.UTF-8" } = env;
  return { PATH, HOME, LANG, HERMES_HOME: home };
}

/** Started by systemd or launchd, which start it again when it ends so. */
function isService(env: NodeJS.ProcessEnv): boolean {
  return env["INVOCATION_ID"] !== undefined || env["XPC_SERVICE_NAME"]?.startsWith("ai.hermes") === true;
}
