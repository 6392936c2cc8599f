import path from "node:path";
import type { Config } from "#config";
import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import type { HermesHome } from "#foundation/files/paths";
import { quietly } from "#foundation/files/quietly";
import type { Clock } from "#foundation/time/clock";
import type { Store } from "#store";
import { isHeard } from "../access/heard.ts";
import type { Users } from "../access/users.ts";
import { takePress } from "../asks/presses.ts";
import { humanPauseMs } from "../delivery/human-pause.ts";
import { Outlet } from "../delivery/outlet.ts";
import type { Outlets } from "../delivery/outlets.ts";
import type { Replies } from "../delivery/replies.ts";
import { Sender, type SenderDeps } from "../delivery/sender.ts";
import type { TallyPort } from "../figures/tally.ts";
import type { Intake } from "../intake/intake.ts";
import type { MediaExchange } from "../media/exchange.ts";
import { bringFile } from "../media/outgoing.ts";
import type { ButtonPress } from "../platform/inbound.ts";
import {
  type Connection,
  ConnectionError,
  type ConnectionPorts,
  type MenuCommand,
  type Platform,
} from "../platform/platform.ts";
import { withAccountLock } from "../rights/account-lock.ts";
import { senderLease, whileAlone } from "../rights/sole-right.ts";
import type { ChannelDirectory } from "../targets/directory.ts";
import { rememberAccount, resolveTarget } from "../targets/target.ts";
import { type SayAloud, spoken } from "../voice/speech.ts";
import { menuCommands } from "./menu-commands.ts";
import { openNetwork } from "./network.ts";
import { type PlatformState, PlatformSupervisor } from "./supervisor.ts";

export interface IngressDeps {
  readonly home: HermesHome;
  readonly config: Config;
  configNow(): Promise<Config>;
  readonly store: Store;
  readonly platforms: readonly Platform[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Names this process in leases. */
  readonly owner: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly intake: Intake;
  readonly users: Users;
  readonly replies: Replies;
  readonly outlets: Outlets;
  readonly directory: ChannelDirectory;
  /** Files of messages that other processes have; undefined where there is no other. */
  readonly exchange: MediaExchange | undefined;
  readonly tally: TallyPort;
  /** What plugins and skills of this platform can be called by, in this order. */
  moreCommands(platform: string): Promise<readonly MenuCommand[]>;
  /** Says the answers that chats want to hear. */
  readonly sayAloud: SayAloud;
  onState(platform: string, state: PlatformState): void;
}

/** Keeps one platform connected, and sends what is owed there, until the signal or until that cannot be. */
export async function keepConnected(platform: Platform, deps: IngressDeps, signal: AbortSignal): Promise<void> {
  const { config, clock, logger } = deps;
  const onState = (state: PlatformState): void => deps.onState(platform.id, state);
  const onLost = (name: string): void => deps.tally.leaseLost(name);
  const lock = { ...deps, onLost, onWaiting: () => onState({ state: "standby" }) };
  try {
    await using network = openNetwork(platform, deps);
    const supervisor = new PlatformSupervisor({
      platform,
      clock,
      logger,
      onState,
      connectTimeoutMs: config.gateway.connect_timeout_seconds * 1000,
      ports: { ...portsOf(platform, deps), fetch: network.fetch, proxy: network.proxy },
      whileConnected: (connection, during) => serve(platform, connection, { deps, during }),
    });
    await withAccountLock(platform.lock(config), { deps: lock, signal }, (during) => supervisor.run(during));
  } catch (error) {
    const errorCode = error instanceof ConnectionError ? error.code : "lock_failed";
    logger.error("a platform cannot be used", { platform: platform.id, errorCode, error: describe(error) });
    onState({ state: "fatal", errorCode, errorMessage: describe(error) });
  }
}

function portsOf(platform: Platform, deps: IngressDeps): Omit<ConnectionPorts, "alive" | "fetch" | "proxy"> {
  const { config, store, clock, logger, intake, users, replies, home } = deps;
  return {
    config,
    clock,
    logger,
    folders: {
      home: home.root,
      own: home.at("platforms", platform.id),
      packages: path.join(home.installRoot, "packages"),
    },
    admit: async (message, cursor) => {
      if (platform.hasOwnRules === true || isHeard(message.source, config)) return await intake.admit(message, cursor);
      const { account } = message.source;
      if (cursor !== undefined) await store.inbox.setCursor({ platform: platform.id, account, ...cursor });
      return false;
    },
    elsewhere: {
      find: (target) => resolveTarget({ word: target }, deps),
      async owe(to, text, key) {
        const message = { source: to, text: "", dedupKey: key, atMs: 0, attachments: [] };
        const sessionKey = `delivery:${to.platform}:${to.chatId}`;
        const ids = await store.outbox.owe(replies.answer(text, { message, sessionKey, key }));
        return ids.length > 0;
      },
    },
    press: (press: ButtonPress) => takePress(press, { store, users }),
    position: (account: string, name: string) => intake.position({ platform: platform.id, account }, name),
    keepPosition: (account, position) => store.inbox.setCursor({ platform: platform.id, account, ...position }),
  };
}

/** While it is connected: it is known here, its menu and its channels are kept, and what is owed is sent. */
async function serve(
  platform: Platform,
  connection: Connection,
  { deps, during }: { readonly deps: IngressDeps; readonly during: AbortSignal },
): Promise<void> {
  const { store, clock, logger, config, directory, outlets, tally } = deps;
  const account = connection.account.id;
  const onWait = (waitMs: number): void => tally.waited(platform.id, waitMs);
  const outlet = new Outlet(connection, platform, { clock, onWait });
  using _listed = outlets.add(outlet);
  await rememberAccount(store, platform.id, account);
  const offer = async () => {
    const own = menuCommands();
    const taken = new Set(own.map(({ name }) => name));
    const more = (await deps.moreCommands(platform.id)).filter(({ name }) => !taken.has(name));
    await connection.offerCommands?.([...own, ...more], during);
  };
  void quietly("offering the commands in a menu", offer, { logger });
  void quietly("keeping the directory of chats", () => directory.keep(platform.id, connection, during), { logger });
  const unknownSend = () => config.gateway.unknown_send;
  const pauseMs = () => humanPauseMs(config.human_delay);
  const { exchange } = deps;
  const folder = deps.home.documentCache;
  const bring: SenderDeps["bring"] =
    exchange === undefined
      ? undefined
      : (message, key, within) => bringFile(message, { exchange, folder, key }, within);
  const speak: SenderDeps["speak"] = (speech, key, within) => {
    const { sayAloud, home } = deps;
    return spoken(speech, { sayAloud, capabilities: platform.capabilities, folder: home.audioCache, key }, within);
  };
  // Several processes may listen for the calls of one service; one of them sends.
  const alone = { ...deps, onLost: (name: string) => tally.leaseLost(name) };
  await whileAlone(senderLease(platform.id, account), { deps: alone, signal: during }, (still) =>
    new Sender({ store, clock, logger, outlet, unknownSend, pauseMs, onWait, bring, speak }).run(still),
  );
}
