import { randomBytes } from "node:crypto";
import type { Config } from "#config";
import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import type { HermesHome } from "#foundation/files/paths";
import { quietly } from "#foundation/files/quietly";
import { HttpClient } from "#foundation/http/client";
import { type Fetch, fetchOver } from "#foundation/http/fetch";
import type { Clock } from "#foundation/time/clock";
import { builtinCommands, type SessionService } from "#session";
import { leaseOwner, type Store } from "#store";
import { Pairing } from "./access/pairing.ts";
import { Users } from "./access/users.ts";
import { takePress } from "./asks/presses.ts";
import { Chats, type ChatsDeps } from "./chats/chats.ts";
import type { GatewayCommandDeps } from "./chats/gateway-commands.ts";
import { gatewayCommands } from "./chats/gateway-commands.ts";
import { resetPolicyOf } from "./chats/reset-policy.ts";
import { greetAfterRestart, rememberRestart } from "./chats/restart-notice.ts";
import { type PlatformState, PlatformSupervisor } from "./connections/supervisor.ts";
import { Outlet } from "./delivery/outlet.ts";
import { Outlets } from "./delivery/outlets.ts";
import { openReplies, type Replies } from "./delivery/replies.ts";
import { Sender } from "./delivery/sender.ts";
import { Intake } from "./intake/intake.ts";
import { liveSettings } from "./live/live-settings.ts";
import { enrich, type IncomingDeps } from "./media/incoming.ts";
import { transcriber } from "./media/transcribe.ts";
import type { ButtonPress, InboundMessage } from "./platform/inbound.ts";
import { type Connection, ConnectionError, type MenuCommand, type Platform } from "./platform/platform.ts";
import { maintain } from "./process/maintenance.ts";
import type { StatusFile } from "./process/status-file.ts";
import { withTokenLock } from "./process/token-lock.ts";
import { ChannelDirectory } from "./targets/directory.ts";
import { rememberAccount, resolveTarget } from "./targets/target.ts";

export interface GatewayDeps {
  readonly config: Config;
  readonly store: Store;
  readonly sessions: SessionService;
  /** Those that are set up and switched on. */
  readonly platforms: readonly Platform[];
  readonly home: HermesHome;
  /** The environment, for keys of services. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder of the person, for `~` in paths. */
  readonly userHome: string;
  readonly cwd: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly status: StatusFile;
  onState(platform: string, state: PlatformState): void;
  /** Keeps a chat as the home channel of its platform. */
  setHome(message: InboundMessage): Promise<void>;
  /** Ends this process so that it is started again. */
  restart(): void;
  /** Tells the hooks of the home; nobody waits for them. */
  fire(event: string, context: Readonly<Record<string, unknown>>): void;
}

/** How the gateway ended: it was asked to, or no platform can ever be connected. */
export type GatewayEnd = "asked" | "hopeless";

const deliverMs = 3_000;
const lookMs = 100;

/** Serves all platforms until the signal: takes messages in, answers them in their sessions, sends what is owed. */
export async function runGateway(deps: GatewayDeps, signal: AbortSignal): Promise<GatewayEnd> {
  const { store, clock, logger, status, platforms, config } = deps;
  await using client = new HttpClient();
  const outlets = new Outlets();
  const parts = open(deps, { outlets, fetch: fetchOver(client) });
  const disconnect = new AbortController();
  const hopeless = new AbortController();
  const ending = AbortSignal.any([signal, hopeless.signal]);
  await greetAfterRestart({ store, replies: parts.replies });
  status.gateway("running");
  const connections = platforms.map((platform) => connect(platform, { deps, parts, outlets }, disconnect.signal));
  const { image, audio, video, document } = parts.incoming.folders;
  const maintained = maintain(
    { store, mediaFolders: [image, audio, video, document], clock, logger },
    disconnect.signal,
  );
  const connected = Promise.all(connections).then(() => hopeless.abort());
  ending.addEventListener("abort", () => status.gateway("draining", parts.chats.active.length));
  deps.fire("gateway:startup", { platforms: platforms.map(({ id }) => id) });
  logger.info("the gateway runs", { platforms: platforms.map(({ id }) => id), store: store.kind });
  try {
    await parts.chats.run(ending);
    // What was said last is on its way before the connections go.
    const untilMs = clock.now() + (config.agent.restart_drain_timeout > 0 ? deliverMs : 0);
    while (outlets.size > 0 && clock.now() < untilMs && (await store.outbox.counts()).pending > 0)
      await clock.sleep(lookMs, new AbortController().signal);
  } finally {
    disconnect.abort();
    await Promise.all([connected, maintained]);
  }
  const end = signal.aborted ? "asked" : "hopeless";
  status.gateway(end === "asked" ? "stopped" : "startup_failed", 0);
  await status.settled();
  return end;
}

interface Deps {
  readonly chats: Chats;
  readonly intake: Intake;
  readonly users: Users;
  readonly replies: Replies;
  readonly incoming: IncomingDeps;
  readonly fetch: Fetch;
  readonly directory: ChannelDirectory;
}

interface Means {
  readonly outlets: Outlets;
  readonly fetch: Fetch;
}

function open(deps: GatewayDeps, { outlets, fetch }: Means): Deps {
  const { config, store, platforms, clock, logger, home, cwd } = deps;
  const byId = new Map(platforms.map((platform) => [platform.id, platform]));
  const platform = (id: string): Platform | undefined => byId.get(id);
  const keyRules = () => ({
    groupPerUser: config.group_sessions_per_user,
    threadPerUser: config.thread_sessions_per_user,
  });
  const pairing = new Pairing(home.pairing, clock);
  const users = new Users({ config, pairing });
  const replies = openReplies(deps);
  const splitLength = (id: string): number => Math.floor((byId.get(id)?.capabilities.maxLength ?? 1e9) * 0.97);
  const incoming = incomingDeps(deps, { outlets, fetch });
  const commands: GatewayCommandDeps = {
    users,
    pairing,
    platformIds: () => [...byId.keys()],
    setHome: (message) => deps.setHome(message),
    async restart(message) {
      await rememberRestart(store, message);
      deps.restart();
    },
  };
  const chatsDeps: ChatsDeps = {
    store,
    sessions: deps.sessions,
    clock,
    logger,
    cwd,
    users,
    replies,
    keyRules,
    commands,
    platform,
    fire: (event, context) => deps.fire(event, context),
    owner: `${leaseOwner()}/${randomBytes(2).toString("hex")}`,
    outlet: (id, account) => outlets.of(id, account),
    liveSettings: (one) => liveSettings(config, one),
    enrich: (message, within) => enrich(message, incoming, within),
    hidesIds: () => config.privacy.redact_pii,
    busyMode: () => config.display.busy_input_mode,
    resetPolicy: (source) => resetPolicyOf(config, source),
    inactivity: () => ({
      warnMs: config.agent.gateway_timeout_warning * 1000,
      endMs: config.agent.gateway_timeout * 1000,
      noteMs: config.agent.gateway_notify_interval * 1000,
    }),
    mostAtOnce: () => config.gateway.limits.max_concurrent_turns,
    drainMs: () => config.agent.restart_drain_timeout * 1000,
  };
  const intake = new Intake({ store, keyRules, splitLength, clock });
  const directory = new ChannelDirectory({ home, store, clock });
  return { chats: new Chats(chatsDeps), intake, users, replies, incoming, fetch, directory };
}

function incomingDeps(
  { home, config, env, logger }: GatewayDeps,
  { outlets, fetch }: Pick<Means, "outlets" | "fetch">,
): IncomingDeps {
  return {
    connection: (platform, account) => outlets.of(platform, account)?.connection,
    folders: {
      image: home.imageCache,
      audio: home.audioCache,
      video: home.at("cache", "videos"),
      document: home.documentCache,
    },
    maxBytes: config.gateway.media_max_bytes,
    transcribe: transcriber({ config, env, fetch }),
    logger,
  };
}

/** What chats can be offered: the session's own commands that work there, and the gateway's. */
function menuCommands(): readonly MenuCommand[] {
  const shared = builtinCommands.filter(
    ({ cliOnly, gatewayConfigGate }) => !cliOnly && gatewayConfigGate === undefined,
  );
  return [
    ...shared.map(({ name, description, argsHint }) => ({ name, description, argument: argsHint })),
    ...gatewayCommands,
  ];
}

/** Keeps one platform connected, and sends what is owed there, until the signal or until that cannot be. */
async function connect(
  platform: Platform,
  { deps, parts, outlets }: { readonly deps: GatewayDeps; readonly parts: Deps; readonly outlets: Outlets },
  signal: AbortSignal,
): Promise<void> {
  const { config, store, clock, logger, env } = deps;
  const { intake, users, fetch, directory, replies } = parts;
  const onState = (state: PlatformState): void => deps.onState(platform.id, state);
  const supervisor = new PlatformSupervisor({
    platform,
    clock,
    logger,
    onState,
    connectTimeoutMs: config.gateway.connect_timeout_seconds * 1000,
    ports: {
      config,
      clock,
      logger,
      fetch,
      admit: intake.admit.bind(intake),
      elsewhere: {
        find: (target) => resolveTarget({ word: target }, { config, store, platforms: deps.platforms, directory }),
        async owe(to, text, key) {
          const message = { source: to, text: "", dedupKey: key, atMs: 0, attachments: [] };
          const sessionKey = `delivery:${to.platform}:${to.chatId}`;
          const ids = await store.outbox.owe(replies.answer(text, { message, sessionKey, key }));
          return ids.length > 0;
        },
      },
      press: (press: ButtonPress) => takePress(press, { store, users }),
      position: (account: string, name: string) => intake.position({ platform: platform.id, account }, name),
    },
    async whileConnected(connection: Connection, during: AbortSignal) {
      const outlet = new Outlet(connection, platform, clock);
      using _listed = outlets.add(outlet);
      await rememberAccount(store, platform.id, connection.account.id);
      const offer = async () => await connection.offerCommands?.(menuCommands(), during);
      void quietly("offering the commands in a menu", offer, { logger });
      void quietly("keeping the directory of chats", () => directory.keep(platform.id, connection, during), {
        logger,
      });
      const unknownSend = () => config.gateway.unknown_send;
      await new Sender({ store, clock, logger, outlet, unknownSend }).run(during);
    },
  });
  try {
    await withTokenLock(platform.lock(config), { env, signal }, () => supervisor.run(signal));
  } catch (error) {
    const errorCode = error instanceof ConnectionError ? error.code : "lock_failed";
    logger.error("a platform cannot be used", { platform: platform.id, errorCode, error: describe(error) });
    onState({ state: "fatal", errorCode, errorMessage: describe(error) });
  }
}
