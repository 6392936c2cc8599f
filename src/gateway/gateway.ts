import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { Config } from "#config";
import type { Logger } from "#foundation/files/logger";
import type { HermesHome } from "#foundation/files/paths";
import { quietly } from "#foundation/files/quietly";
import { HttpClient } from "#foundation/http/client";
import { type Fetch, fetchOver } from "#foundation/http/fetch";
import { linkSignals } from "#foundation/lifecycle/abort";
import { byteSize } from "#foundation/text/figures";
import type { Clock } from "#foundation/time/clock";
import type { BorrowOptions, SessionService } from "#session";
import { leaseOwner, type Store } from "#store";
import { Pairing } from "./access/pairing.ts";
import { Users } from "./access/users.ts";
import { Chats, type ChatsDeps } from "./chats/chats.ts";
import { boundSkills } from "./chats/context/bound-skills.ts";
import { firstContact } from "./chats/context/first-contact.ts";
import { surroundings } from "./chats/context/surroundings.ts";
import { expireChats } from "./chats/expiry.ts";
import type { GatewayCommandDeps } from "./chats/gateway-commands.ts";
import { resetPolicyOf } from "./chats/reset-policy.ts";
import { greetAfterRestart, rememberRestart } from "./chats/restart-notice.ts";
import type { Dispatched } from "./chats/triage.ts";
import { type IngressDeps, keepConnected } from "./connections/ingress.ts";
import { type Outage, Reach } from "./connections/reach.ts";
import { reasonToEnd } from "./connections/reason-to-end.ts";
import type { PlatformState } from "./connections/supervisor.ts";
import { filePolicyOf, judgeFile } from "./delivery/file-policy.ts";
import { Outlets } from "./delivery/outlets.ts";
import { openReplies, type Replies } from "./delivery/replies.ts";
import { Intake } from "./intake/intake.ts";
import { admitReport, type ProcessReport } from "./intake/reports.ts";
import { liveSettings } from "./live/live-settings.ts";
import { FolderBucket } from "./media/bucket.ts";
import { MediaExchange, machineOf } from "./media/exchange.ts";
import { enrich, type IncomingDeps, mediaFolders } from "./media/incoming.ts";
import { S3Bucket } from "./media/s3-bucket.ts";
import { transcriber } from "./media/transcribe.ts";
import type { InboundMessage, MessageSource } from "./platform/inbound.ts";
import type { MenuCommand, Platform } from "./platform/platform.ts";
import { importRoutes } from "./process/import-routes.ts";
import { watchLoopLag } from "./process/loop-lag.ts";
import { maintain } from "./process/maintenance.ts";
import { otherWorkers, registered } from "./process/registry.ts";
import type { Role } from "./process/roles.ts";
import type { StatusFile } from "./process/status-file.ts";
import { ChannelDirectory } from "./targets/directory.ts";
import { homeChannel } from "./targets/target.ts";
import type { SayAloud } from "./voice/speech.ts";

export interface GatewayDeps {
  readonly config: Config;
  /** As it is saved now. */
  configNow(): Promise<Config>;
  readonly store: Store;
  readonly sessions: SessionService;
  /** A Hermes elsewhere that does the turns; this process does them when absent. */
  readonly remote?: BorrowOptions["remote"];
  /** What this process does of the work. */
  readonly roles: ReadonlySet<Role>;
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
  /** How long no platform may be reachable before the process ends. */
  readonly unreachableMs: number;
  /** Whether it is of use without any platform: jobs, the API. */
  hasOtherWork(): Promise<boolean>;
  onState(platform: string, state: PlatformState): void;
  /** It was asked to end and finishes so many conversations first. */
  onDraining(conversations: number): void;
  /** Keeps a chat as the home channel of its platform. */
  setHome(message: InboundMessage): Promise<void>;
  /** Says the answers that chats want to hear. */
  readonly sayAloud: SayAloud;
  /** What plugins and skills of this platform can be called by. */
  moreCommands(platform: string): Promise<readonly MenuCommand[]>;
  /** What background processes report to conversations that are not open. */
  readonly reports: { listen(take: (report: ProcessReport) => void): Disposable };
  /** Tells the hooks of the home; nobody waits for them. */
  fire(event: string, context: Readonly<Record<string, unknown>>): void;
  /** Tells them and waits for what they decide; undefined: nothing. */
  decide(event: string, context: Readonly<Record<string, unknown>>): Promise<unknown>;
  /** Asks the plugins about a message before anything else is done with it. */
  dispatch(sessionKey: string, message: InboundMessage): Promise<Dispatched>;
}

/** How the gateway ended: it was asked to, or no platform is served. */
export type GatewayEnd = "asked" | Outage;

const deliverMs = 3_000;
const lookMs = 100;
const refusalEveryMs = 600_000;

/**
 * Does this process's share of serving the platforms until the signal: takes messages in, answers them in their sessions,
 * sends what is owed, cleans up.
 */
export async function runGateway(deps: GatewayDeps, signal: AbortSignal): Promise<GatewayEnd> {
  const { store, logger, status, platforms, roles } = deps;
  const owner = leaseOwner();
  await using client = new HttpClient();
  await using registration = await registered({ ...deps, owner });
  const outlets = new Outlets();
  const fetch = fetchOver(client);
  const opened = open({ ...deps, owner }, { outlets, fetch });
  const disconnect = new AbortController();
  const abandoned = new AbortController();
  const ending = linkSignals(signal, abandoned.signal);
  const reach = new Reach(
    platforms.map(({ id }) => id),
    deps.clock,
  );
  if (roles.has("worker"))
    await quietly("taking over chats of an earlier version", () => importRoutes(deps), { logger });
  if (roles.has("ingress")) await greetAfterRestart({ store, replies: opened.replies });
  using _reports = roles.has("worker") ? takeReports(deps) : undefined;
  const isServing = roles.has("worker") ? opened.chats.isServing : Promise.resolve();
  void isServing.then(() => ending.aborted || status.gateway("running"));
  const onState = (platform: string, state: PlatformState): void => {
    reach.report(platform, state);
    deps.onState(platform, state);
  };
  const ingress: IngressDeps = { ...deps, ...opened, owner, outlets, onState, tally: status.tally };
  const connected = roles.has("ingress") ? connectAll(ingress, disconnect.signal) : Promise.resolve();
  const outage = roles.has("ingress") ? reasonToEnd({ ...deps, reach }, disconnect.signal) : undefined;
  void outage?.then(() => abandoned.abort());
  const exchanged = opened.exchange?.run(disconnect.signal);
  const watched = watchLoopLag({ ...deps, onLag: (lagMs) => status.lag(lagMs) }, disconnect.signal);
  const maintained = roles.has("scheduler") ? maintainAll(opened, { deps, owner }, disconnect.signal) : undefined;
  ending.addEventListener("abort", () => {
    // From now on others are asked to do what is left.
    void registration.leave();
    const active = opened.chats.active.length;
    status.gateway("draining", active);
    deps.onDraining(active);
  });
  const told = tellStartup(deps, reach, disconnect.signal);
  logger.info("the gateway runs", { platforms: platforms.map(({ id }) => id), store: store.kind, roles: [...roles] });
  try {
    if (roles.has("worker")) await opened.chats.run(ending);
    else await aborted(ending);
    await deliverLast(deps, outlets);
  } finally {
    disconnect.abort();
    await Promise.all([connected, maintained, exchanged, watched, outage, told]);
  }
  const end: GatewayEnd = signal.aborted ? "asked" : ((await outage) ?? "asked");
  status.ended(end === "asked" || reach.hasConnected ? "stopped" : "startup_failed", end);
  await status.settled();
  return end;
}

function takeReports({ store, clock, logger, reports }: GatewayDeps): Disposable {
  return reports.listen((report) => {
    void quietly("taking in what a background process says", () => admitReport(report, { store, clock }), { logger });
  });
}

/** The hooks hear of the start when it is known of each platform whether it is there. */
async function tellStartup({ platforms, roles, fire }: GatewayDeps, reach: Reach, signal: AbortSignal): Promise<void> {
  if (roles.has("ingress")) await reach.tried(signal);
  if (!signal.aborted) fire("gateway:startup", { platforms: platforms.map(({ id }) => id) });
}

async function connectAll(deps: IngressDeps, signal: AbortSignal): Promise<void> {
  await Promise.all(deps.platforms.map((platform) => keepConnected(platform, deps, signal)));
}

async function maintainAll(
  { incoming }: Opened,
  { deps, owner }: { readonly deps: GatewayDeps; readonly owner: string },
  signal: AbortSignal,
): Promise<void> {
  const { image, audio, video, document } = incoming.folders;
  const chatsLiveMs = deps.config.session_store_max_age_days * 86_400_000;
  const { config, store, clock } = deps;
  const resetPolicy = (source: MessageSource) => resetPolicyOf(config, source);
  const expire = () => expireChats({ store, resetPolicy, nowMs: clock.now() });
  const onLost = (name: string): void => deps.status.tally.leaseLost(name);
  await maintain(
    { ...deps, onLost, owner, chatsLiveMs, expire, mediaFolders: [image, audio, video, document] },
    signal,
  );
}

/** What was said last is on its way before the connections go. */
async function deliverLast({ store, clock, config }: GatewayDeps, outlets: Outlets): Promise<void> {
  const untilMs = clock.now() + (config.agent.restart_drain_timeout > 0 ? deliverMs : 0);
  while (outlets.size > 0 && clock.now() < untilMs && (await store.outbox.counts()).pending > 0)
    await clock.sleep(lookMs, new AbortController().signal);
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, "abort");
}

interface Opened {
  readonly chats: Chats;
  readonly intake: Intake;
  readonly users: Users;
  readonly replies: Replies;
  readonly incoming: IncomingDeps;
  readonly exchange: MediaExchange | undefined;
  readonly directory: ChannelDirectory;
}

interface Means {
  readonly outlets: Outlets;
  readonly fetch: Fetch;
}

function open(deps: GatewayDeps & { readonly owner: string }, { outlets, fetch }: Means): Opened {
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
  const hasHome = async (id: string) => homeChannel(await deps.configNow(), id) !== undefined;
  const exchange = openExchange(deps, { outlets, fetch });
  const incoming = { ...incomingDeps(deps, { outlets, fetch }), exchange };
  const commands: GatewayCommandDeps = {
    store,
    users,
    pairing,
    platformIds: () => [...byId.keys()],
    setHome: (message) => deps.setHome(message),
    async restart(message) {
      await rememberRestart(store, message);
      // Every process of the gateway, this one included.
      await store.signals.announce("restart");
    },
  };
  const chatsDeps: ChatsDeps = {
    store,
    sessions: deps.sessions,
    remote: deps.remote,
    clock,
    logger,
    cwd,
    users,
    replies,
    keyRules,
    commands,
    platform,
    fire: (event, context) => deps.fire(event, context),
    decide: (event, context) => deps.decide(event, context),
    dispatch: (key, message) => deps.dispatch(key, message),
    owner: deps.owner,
    hasOthers: () => otherWorkers(deps),
    tally: deps.status.tally,
    mostPerUser: () => config.gateway.limits.max_turns_per_user,
    outlet: (id, account) => outlets.of(id, account),
    liveSettings: (one) => liveSettings(config, one),
    enrich: (message, within) => enrich(message, incoming, within),
    skills: (source) => boundSkills(source, config),
    firstContact: (message) => firstContact(message, { store, users, platform, hasHome }),
    surroundings: async () => surroundings(platforms, await deps.configNow()),
    hidesIds: () => config.privacy.redact_pii,
    busyMode: () => config.display.busy_input_mode,
    followupGraceMs: (id) => byId.get(id)?.timing?.(config).followupGraceMs ?? 0,
    resetPolicy: (source) => resetPolicyOf(config, source),
    inactivity: () => ({
      warnMs: config.agent.gateway_timeout_warning * 1000,
      endMs: config.agent.gateway_timeout * 1000,
      noteMs: config.agent.gateway_notify_interval * 1000,
    }),
    mostAtOnce: () => config.gateway.limits.max_concurrent_turns,
    drainMs: () => config.agent.restart_drain_timeout * 1000,
  };
  const intake = new Intake({
    store,
    keyRules,
    splitLength,
    albumMs: (id) => byId.get(id)?.timing?.(config).albumMs,
    clock,
    mostPending: () => config.gateway.limits.refuse_pending_per_session,
    refuse: async (message) => void (await store.outbox.owe(refusal(replies, message))),
  });
  const directory = new ChannelDirectory({ home, store, clock });
  return { chats: new Chats(chatsDeps), intake, users, replies, incoming, exchange, directory };
}

/** Told to a chat that has too much waiting, once in a while: the same key is owed once. */
function refusal(replies: Replies, message: InboundMessage) {
  const text = "Too many messages are waiting here, so this one was not taken. Please send it again a little later.";
  const { platform, chatId } = message.source;
  const key = `refused:${platform}:${chatId}:${Math.floor(message.atMs / refusalEveryMs)}`;
  return replies.notice(text, { message, sessionKey: `delivery:${platform}:${chatId}`, key });
}

function incomingDeps(
  { home, config, env, logger }: GatewayDeps,
  { outlets, fetch }: Pick<Means, "outlets" | "fetch">,
): IncomingDeps {
  return {
    connection: (platform, account) => outlets.of(platform, account)?.connection,
    folders: mediaFolders(home),
    maxBytes: config.gateway.media_max_bytes,
    transcribe: transcriber({ config, env, fetch }),
    logger,
  };
}

/** Where several processes share the work, one may need a file that another has. */
function openExchange(
  deps: GatewayDeps,
  { outlets, fetch }: Pick<Means, "outlets" | "fetch">,
): MediaExchange | undefined {
  const { config, store, home, env, clock, logger } = deps;
  if (store.kind !== "postgres") return undefined;
  const { media_store: kind, media_max_bytes: maxBytes, s3: settings } = config.gateway;
  const policy = filePolicyOf(deps);
  return new MediaExchange({
    store,
    clock,
    logger,
    maxBytes,
    machine: machineOf(home),
    bucket: kind === "s3" ? new S3Bucket({ settings, env, fetch, clock }) : new FolderBucket(home.documentCache),
    connection: (platform, account) => outlets.of(platform, account)?.connection,
    async read(file, signal) {
      const judged = judgeFile(file, policy);
      if (judged.kind === "refused") throw new Error(judged.why);
      if (judged.bytes > maxBytes) throw new Error(`it is larger than ${byteSize(maxBytes)}`);
      return await readFile(judged.file, { signal });
    },
  });
}
