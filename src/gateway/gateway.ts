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
import { Outlet } from "./delivery/outlet.ts";
import { Outlets } from "./delivery/outlets.ts";
import { Replies } from "./delivery/replies.ts";
import { Sender } from "./delivery/sender.ts";
import { Intake } from "./intake/intake.ts";
import { liveSettings } from "./live/live-settings.ts";
import { enrich, type IncomingDeps } from "./media/incoming.ts";
import { transcriber } from "./media/transcribe.ts";
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
  /** The environment, for keys of services. */
  readonly env: Readonly<Record<string, string | undefined>>;
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
  const outlets = new Outlets();
  const incoming: IncomingDeps = {
    connection: (platform, account) => outlets.of(platform, account)?.connection,
    folders: {
      image: home.imageCache,
      audio: home.audioCache,
      video: home.at("cache", "videos"),
      document: home.documentCache,
    },
    maxBytes: config.gateway.media_max_bytes,
    transcribe: transcriber({ config, env: deps.env, fetch: fetchOver(client) }),
    logger,
  };
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
    outlet: (platform, account) => outlets.of(platform, account),
    liveSettings: (platform) => liveSettings(config, platform),
    enrich: (message, within) => enrich(message, incoming, within),
    hidesIds: () => config.privacy.redact_pii,
    mostAtOnce: () => config.gateway.limits.max_concurrent_turns,
  });
  const whileConnected = (platform: Platform) => async (connection: Connection, during: AbortSignal) => {
    const outlet = new Outlet(connection, platform, clock);
    using _listed = outlets.add(outlet);
    const unknownSend = () => config.gateway.unknown_send;
    await new Sender({ store, wakeUps, clock, logger, outlet, unknownSend }).run(during);
  };
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
