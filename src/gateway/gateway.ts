import { randomBytes } from "node:crypto";
import type { Config } from "#config";
import type { Logger } from "#foundation/files/logger";
import type { HermesHome } from "#foundation/files/paths";
import { HttpClient } from "#foundation/http/client";
import { fetchOver } from "#foundation/http/fetch";
import type { Clock } from "#foundation/time/clock";
import type { SessionService } from "#session";
import { leaseOwner, type Store } from "#store";
import { Pairing } from "./access/pairing.ts";
import { People } from "./access/people.ts";
import { takePress } from "./asks/presses.ts";
import { Chats } from "./chats/chats.ts";
import { type PlatformState, PlatformSupervisor } from "./connections/supervisor.ts";
import { Replies } from "./delivery/replies.ts";
import { Sender } from "./delivery/sender.ts";
import { Intake } from "./intake/intake.ts";
import type { ButtonPress } from "./platform/inbound.ts";
import type { Connection, Platform } from "./platform/platform.ts";
import { localWakeUps } from "./wake-ups.ts";

export interface GatewayDeps {
  readonly config: Config;
  readonly store: Store;
  readonly sessions: SessionService;
  /** Those that are set up and switched on. */
  readonly platforms: readonly Platform[];
  readonly home: HermesHome;
  /** The folder of the person, for `~` in paths. */
  readonly userHome: string;
  readonly cwd: string;
  readonly clock: Clock;
  readonly logger: Logger;
  onState?(platform: string, state: PlatformState): void;
}

/** Serves all platforms until the signal: takes messages in, answers them in their sessions, sends what is owed. */
export async function runGateway(deps: GatewayDeps, signal: AbortSignal): Promise<void> {
  const { config, store, sessions, platforms, clock, logger, cwd, home, userHome } = deps;
  const wakeUps = localWakeUps();
  const byId = new Map(platforms.map((platform) => [platform.id, platform]));
  const keyRules = () => ({
    groupPerUser: config.group_sessions_per_user,
    threadPerUser: config.thread_sessions_per_user,
  });
  const intake = new Intake({ store, wakeUps, keyRules });
  const platformOf = (id: string): Platform | undefined => byId.get(id);
  const people = new People({ config, pairing: new Pairing(home.pairing, clock) });
  const roots = [cwd, home.cache, home.imageCache, home.audioCache, home.documentCache, ...config.gateway.media_roots];
  const replies = new Replies({
    platform: platformOf,
    userHome,
    filePolicy: () => ({ roots, secretFolder: home.root }),
  });
  await using client = new HttpClient();
  const chats = new Chats({
    store,
    sessions,
    wakeUps,
    clock,
    logger,
    cwd,
    owner: `${leaseOwner()}/${randomBytes(2).toString("hex")}`,
    platform: platformOf,
    people,
    replies,
    keyRules,
    mostAtOnce: () => config.gateway.limits.max_concurrent_turns,
  });
  const whileConnected = (platform: Platform) => (connection: Connection, during: AbortSignal) =>
    new Sender({
      store,
      wakeUps,
      clock,
      logger,
      platform,
      connection,
      unknownSend: () => config.gateway.unknown_send,
    }).run(during);
  const supervisors = platforms.map((platform) => {
    const ports = {
      config,
      clock,
      logger,
      fetch: fetchOver(client),
      admit: intake.admit.bind(intake),
      press: (press: ButtonPress) => takePress(press, { store, wakeUps, people }),
      position: (account: string, name: string) => intake.position({ platform: platform.id, account }, name),
    };
    return new PlatformSupervisor({
      platform,
      ports,
      clock,
      logger,
      connectTimeoutMs: config.gateway.connect_timeout_seconds * 1000,
      whileConnected: whileConnected(platform),
      onState: (state) => deps.onState?.(platform.id, state),
    });
  });
  await Promise.all([chats.run(signal), ...supervisors.map((one) => one.run(signal))]);
}
