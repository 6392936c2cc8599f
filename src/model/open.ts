import { type Config, type Machine, readSwitches } from "#config";
import type { MoneyLedger } from "#conversation";
import { defined } from "#foundation/defined";
import { UserError } from "#foundation/errors";
import { Scope } from "#foundation/lifecycle/disposal";
import { BudgetGate, type BudgetGateDeps } from "./budget/gate.ts";
import { MemoryMoneyLedger } from "./budget/memory-ledger.ts";
import { knowledgeFrom, type OpenCatalog, openCatalog } from "./catalog/open-catalog.ts";
import { CatalogueUpkeep } from "./catalog/upkeep.ts";
import type { AttemptEvent, ModelClientDeps } from "./client.ts";
import { type AuthBackend, AuthFile } from "./credentials/auth-file.ts";
import { type Keychain, keychainBackend, openKeychain } from "./credentials/keychain.ts";
import { NousGuard } from "./credentials/nous-guard.ts";
import { builtinFlows } from "./credentials/oauth/flows.ts";
import { nousSubscription } from "./credentials/oauth/nous.ts";
import { createSpotifyLogin, type SpotifyLogin } from "./credentials/oauth/spotify.ts";
import { PoolMemory } from "./credentials/pool/pool-memory.ts";
import { isAnthropicLoginToken } from "./credentials/scheme.ts";
import type { DemoModel } from "./demo/server.ts";
import { demoTarget } from "./demo/target.ts";
import { streamEndpoint } from "./endpoint-attempt.ts";
import { LocalDetection } from "./providers/local/local-detection.ts";
import { HomeModels } from "./providers/local/served-models.ts";
import { ModelsCache } from "./providers/models/models-cache.ts";
import { ProviderRegistry } from "./providers/registry.ts";
import type { ModelRequest } from "./request.ts";
import { ModelChoices } from "./resolve/choose/model-choices.ts";
import type { PickerEntry } from "./resolve/choose/picker.ts";
import { ProviderLists } from "./resolve/choose/provider-lists.ts";
import { OnceNotices, type Resolution, type ResolveContext, type TargetRequest } from "./resolve/context.ts";
import { EndpointMemory } from "./resolve/endpoint/endpoint-memory.ts";
import { resolveTarget } from "./resolve/resolve.ts";
import { listKey } from "./resolve/resolve-custom.ts";
import type { Target } from "./target.ts";
import { type Connections, openConnections } from "./transport/connections.ts";
import { openRequestDump } from "./transport/request-dump.ts";

type BudgetLimits = ReturnType<BudgetGateDeps["limits"]>;

type ModelMachine = Pick<
  Machine,
  "loaded" | "settingsNow" | "home" | "userHome" | "version" | "clock" | "logger" | "redactor"
>;

/** Everything that talks to models, opened once for the process. */
export interface Models extends AsyncDisposable {
  readonly context: ResolveContext;
  /** The same with the settings and keys as they are saved now: some may have been changed since the start. */
  contextNow(): Promise<ResolveContext>;
  readonly connections: Connections;
  readonly catalog: OpenCatalog;
  readonly budget: BudgetGate;
  resolve(wanted: TargetRequest, signal: AbortSignal): Promise<Resolution>;
  /** What can be chosen now. */
  choices(signal: AbortSignal): Promise<readonly PickerEntry[]>;
  /** The account that pays for services of tools; undefined when there is none. */
  subscription(signal: AbortSignal): ReturnType<ReturnType<typeof nousSubscription>>;
  /** The person's account at Spotify, for the tools that control it. */
  readonly spotify: SpotifyLogin;
  /** The built-in demo model; it is served from the first call on, until these are closed. */
  demo(): Promise<Target>;
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<AttemptEvent>;
  /** What the catalogue is asked about a target. */
  question(target: Target): Parameters<OpenCatalog["catalog"]["prices"]>[0];
}

export async function openModels(
  machine: ModelMachine,
  ledger: MoneyLedger = new MemoryMoneyLedger(machine.clock),
): Promise<Models> {
  const scope = new Scope();
  const { loaded, home, clock, logger, redactor } = machine;
  const { config } = loaded;
  if (config.network.force_ipv4) await useIpv4();
  const connections = scope.adopt(openConnections({ env: loaded.environment.variables }));
  const cache = new ModelsCache({ clock, folder: home.at("cache", "models") });
  const catalog = await catalogOf(machine, cache);
  const demo = demoServer(scope);
  const served = scope.adopt(new HomeModels(home, config.local));
  const endpoints = new EndpointMemory(home.at("cache", "endpoints.json"));
  const { context, subscription, spotify } = contextOf(machine, { cache, catalog, demo, served });
  const { registry } = context;
  const dump = readSwitches(loaded.environment.variables).dumpRequests
    ? openRequestDump({ folder: home.requestLogs, clock, logger, redact: (text) => redactor.redact(text) })
    : undefined;
  const attempt = { connections, classify: classifyLater, clock, logger, endpoints, dump };
  const contextNow = async (): Promise<ResolveContext> => {
    const now = await machine.settingsNow();
    return now === loaded ? context : { ...context, settings: now.config, env: now.environment.variables };
  };
  const budget = new BudgetGate({
    limits: () => limitsOf(config),
    clock,
    ledger,
    logger,
  });
  const upkeep = scope.adopt(new CatalogueUpkeep(catalog.catalog, config.model_catalog.enabled));
  const lists = scope.adopt(new ProviderLists({ context, cache, bedrock: config.bedrock.discovery, logger }));
  const choices = scope.adopt(
    new ModelChoices({ context, lists, upkeep, settings: config.model_catalog, home, clock, logger }),
  );
  return {
    context,
    contextNow,
    choices: (signal) => choices.list(signal),
    connections,
    catalog,
    budget,
    demo,
    async resolve(wanted, signal) {
      const resolution = withNativeImages(
        await resolveTarget(wanted, await contextNow(), signal),
        config.display.image_mode,
      );
      // Whatever leaves the program is cleaned of the credentials in use.
      if (resolution.kind === "failure") return resolution;
      for (const secret of resolution.target.credential.secrets) redactor.add(secret, resolution.target.provider);
      upkeep.for(resolution.target);
      return resolution;
    },
    async subscription(signal) {
      const account = await subscription(signal);
      if (account !== undefined) redactor.add(account.token, "nous");
      return account;
    },
    spotify: {
      ...spotify,
      async access(signal) {
        const access = await spotify.access(signal);
        redactor.add(access.token, "spotify");
        return access;
      },
    },
    stream: (request, signal) => streamEndpoint(request, attempt, signal),
    question: ({ provider, model, baseUrl, isLocal, credential }) => ({
      provider,
      model,
      baseUrl,
      isLocal,
      isSubscription:
        registry.find(provider)?.isSubscription === true ||
        credential.secrets.some((secret) => isAnthropicLoginToken(secret.reveal())),
    }),
    [Symbol.asyncDispose]: () => scope[Symbol.asyncDispose](),
  };
}

/** The rules about failures are loaded with the first one. */
const classifyLater: ModelClientDeps["classify"] = async (fault, facts) => {
  const { classify } = await import("./failures/classify.ts");
  return classify(fault, facts);
};

async function catalogOf({ loaded, home, clock, logger }: ModelMachine, cache: ModelsCache): Promise<OpenCatalog> {
  const catalog = openCatalog({
    files: {
      modelsDev: home.modelsDevCache,
      openRouter: home.at("cache", "openrouter-models.json"),
      learned: home.contextLengthCache,
    },
    clock,
    logger,
    priceOverrides: loaded.config.pricing.overrides,
    listedPrices: ({ provider, model, baseUrl }) =>
      [...cache.peek(listKey(baseUrl)), ...cache.peek(provider)].find(({ id }) => id === model)?.prices,
  });
  await catalog.catalog.load();
  return catalog;
}

interface Sources {
  readonly cache: ModelsCache;
  readonly catalog: OpenCatalog;
  demo(): Promise<Target>;
  readonly served: HomeModels;
}

/** What a model is found with: providers, logins, lists. */
function contextOf(
  { loaded, home, userHome, version, clock, logger }: ModelMachine,
  { cache, catalog, demo, served }: Sources,
) {
  const { config, environment } = loaded;
  const env = environment.variables;
  const keychain = openKeychain({ platform: process.platform, env });
  const authFile = new AuthFile({
    path: home.authFile,
    lockPath: home.authLock,
    clock,
    logger,
    env,
    ...(config.security.credential_store === "keychain" ? keychainOf(keychain, home.authFile) : {}),
  });
  const logins = { authFile, clock, env, userHome, hermesHome: home.root };
  const context: ResolveContext = {
    registry: new ProviderRegistry(),
    models: cache,
    demo,
    served,
    settings: config,
    env,
    authFile,
    flows: builtinFlows(logins),
    clock,
    userHome,
    hermesHome: home.root,
    version,
    logger,
    lookUp: knowledgeFrom(catalog.catalog),
    catalogued: (provider) => catalog.catalog.listed(provider),
    detectLocal: new LocalDetection(clock, home.at("cache", "local-servers.json")).detect,
    nousBlockedUntilMs: () => new NousGuard(home.nousRateLimit, clock).blockedUntilMs(),
    // Only there another program of the person keeps a login in the keychain.
    ...(process.platform === "darwin" && keychain !== undefined ? { keychain } : {}),
    pools: new PoolMemory(),
    once: new OnceNotices(),
  };
  return { context, subscription: nousSubscription(logins), spotify: createSpotifyLogin(logins) };
}

/** `display.image_mode: native` sends images also to models nobody knows to take them. */
function withNativeImages(resolution: Resolution, mode: Config["display"]["image_mode"]): Resolution {
  if (resolution.kind === "failure" || mode !== "native") return resolution;
  const { target } = resolution;
  return { ...resolution, target: { ...target, quirks: { ...target.quirks, supportsImages: true } } };
}

/** `network.force_ipv4`, for every connection of the process: the first address of a name is its IPv4 one, and no other is tried. */
async function useIpv4(): Promise<void> {
  const [{ setDefaultResultOrder }, { setDefaultAutoSelectFamily }] = await Promise.all([
    import("node:dns"),
    import("node:net"),
  ]);
  setDefaultResultOrder("ipv4first");
  setDefaultAutoSelectFamily(false);
}

/** `security.credential_store: keychain`. */
function keychainOf(keychain: Keychain | undefined, authFile: string): { readonly backend: AuthBackend } {
  if (keychain === undefined)
    throw new UserError("This system has no keychain that Hermes can use.", {
      code: "keychain_unavailable",
      hint: "Keep logins in a file with: hermes config set security.credential_store file",
    });
  return { backend: keychainBackend(keychain, authFile) };
}

function demoServer(scope: Scope): () => Promise<Target> {
  let serving: Promise<DemoModel> | undefined;
  return async () => {
    serving ??= import("./demo/server.ts")
      .then(({ serveDemoModel }) => serveDemoModel())
      .then((server) => scope.adopt(server));
    return demoTarget((await serving).baseUrl);
  };
}

function limitsOf({ budget }: Config): BudgetLimits {
  return {
    mode: budget.mode,
    unknownPrice: budget.unknown_price,
    ...defined({
      sessionUsd: budget.session_usd,
      dayUsd: budget.daily_usd,
      treeUsd: budget.delegation_tree_usd,
      userDayUsd: budget.user_daily_usd,
    }),
  };
}
