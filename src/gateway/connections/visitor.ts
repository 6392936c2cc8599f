import path from "node:path";
import type { Config } from "#config";
import type { Logger } from "#foundation/files/logger";
import type { HermesHome } from "#foundation/files/paths";
import { quietly } from "#foundation/files/quietly";
import { linkSignals } from "#foundation/lifecycle/abort";
import { Scope } from "#foundation/lifecycle/disposal";
import type { Clock } from "#foundation/time/clock";
import { isLeft, leaseOwner, type Store } from "#store";
import { Outlet } from "../delivery/outlet.ts";
import { Sender } from "../delivery/sender.ts";
import type { ConnectionPorts, Platform } from "../platform/platform.ts";
import { senderLease, whileAlone } from "../rights/sole-right.ts";
import { accountOf, rememberAccount } from "../targets/target.ts";
import { openNetwork } from "./network.ts";

export interface VisitorDeps {
  readonly config: Config;
  readonly store: Store;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: HermesHome;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Sends what is owed on a platform from a process that is no gateway, until it is disposed. Undefined where a gateway
 * does that, or where one cannot send without listening.
 */
export async function visit(
  platform: Platform,
  deps: VisitorDeps,
  signal: AbortSignal,
): Promise<AsyncDisposable | undefined> {
  const { config, store, clock, logger } = deps;
  if (platform.sendsAlone !== true) return undefined;
  const known = await accountOf(store, platform.id);
  const lease = known === undefined ? undefined : await store.leases.get(senderLease(platform.id, known));
  if (lease !== undefined && !isLeft(lease, clock.now())) return undefined;
  const scope = new Scope();
  const end = new AbortController();
  try {
    const network = scope.adopt(openNetwork(platform, deps));
    const ports = { ...deafPorts(platform, deps), fetch: network.fetch, proxy: network.proxy };
    const connection = scope.adopt(await platform.connect(ports, signal));
    const account = connection.account.id;
    await rememberAccount(store, platform.id, account);
    const outlet = new Outlet(connection, platform, { clock });
    const during = linkSignals(signal, end.signal);
    const rights = { deps: { store, clock, logger, owner: leaseOwner() }, signal: during };
    const unknownSend = () => config.gateway.unknown_send;
    const sending = whileAlone(senderLease(platform.id, account), rights, (still) =>
      new Sender({ store, clock, logger, outlet, unknownSend }).run(still),
    );
    scope.defer(() => sending);
    scope.defer(() => end.abort());
    return scope;
  } catch (error) {
    await scope[Symbol.asyncDispose]();
    throw error;
  }
}

const patienceMs = 8_000;
const lookMs = 100;

/** Sends what waits, on every platform where that can be done from here; what is not taken in time the gateway sends. */
export async function sendOwed(platforms: readonly Platform[], deps: VisitorDeps, signal: AbortSignal): Promise<void> {
  const { store, clock, logger } = deps;
  const waits = async (id: string): Promise<boolean> =>
    (await store.outbox.list({ status: "pending", limit: 1_000 })).some(({ platform }) => platform === id);
  for (const platform of platforms) {
    if (!(await waits(platform.id))) continue;
    await using visitor = await quietly("sending without a gateway", () => visit(platform, deps, signal), { logger });
    const untilMs = clock.now() + patienceMs;
    while (visitor !== undefined && clock.now() < untilMs && (await waits(platform.id)))
      await clock.sleep(lookMs, signal);
  }
}

/** Nothing is heard, so nothing is taken in. */
function deafPorts(
  platform: Platform,
  { config, home, clock, logger }: VisitorDeps,
): Omit<ConnectionPorts, "fetch" | "proxy"> {
  return {
    config,
    clock,
    logger,
    isSendOnly: true,
    folders: {
      home: home.root,
      own: home.at("platforms", platform.id),
      packages: path.join(home.installRoot, "packages"),
    },
    alive: () => undefined,
    admit: () => Promise.resolve(false),
    press: () => Promise.resolve(""),
    position: () => Promise.resolve(undefined),
    keepPosition: () => Promise.resolve(),
    elsewhere: { find: () => Promise.resolve("nothing is listened to"), owe: () => Promise.resolve(false) },
  };
}
