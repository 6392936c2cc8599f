import {
  type AgentHost,
  type AgentPlugins,
  type AgentRecords,
  ChildTable,
  createDelegateTool,
  delegationSettings,
  type StartingModel,
  unrecorded,
} from "#agent";
import { type MachineOptions, openMachine } from "#config";
import type { MoneyLedger, SessionId } from "#conversation";
import { defined } from "#foundation/defined";
import { UserError } from "#foundation/errors";
import { quietly } from "#foundation/files/quietly";
import { Scope } from "#foundation/lifecycle/disposal";
import type { Secret } from "#foundation/secrets/secret";
import { newId } from "#foundation/text/ids";
import { demoProvider, NousGuard, nousGate, openModels, RateLimitLedger, readModelName } from "#model";
import { openTools, type Toolbox } from "#tools";
import { knownDistributions } from "./known-distributions.ts";
import { removeLeftFolders } from "./rollout.ts";

/** What all rollouts of a process share: settings, models and tools. No store, no sessions, nobody to ask. */
export interface Rollouts extends AsyncDisposable {
  readonly host: AgentHost;
  readonly tools: Toolbox;
  /** The chances of the toolsets there are, in a distribution of the program or of the settings. */
  distribution(name: string): Readonly<Record<string, number>>;
  chooseModel(wanted: WantedModel, signal: AbortSignal): Promise<StartingModel>;
}

interface WantedModel {
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly apiKey?: Secret | undefined;
}

/** The ledger is where money is counted; without one, limits hold within this process. */
export async function openRollouts(options: MachineOptions, ledger?: MoneyLedger): Promise<Rollouts> {
  const scope = new Scope();
  try {
    const machine = scope.adopt(await openMachine(options));
    const { clock, logger, loaded, home } = machine;
    await quietly("removing the folders of killed rollouts", removeLeftFolders, { logger });
    const models = scope.adopt(await openModels(machine, ledger));
    const tools = scope.adopt(openTools(machine, { gatewayLogin: (signal) => models.subscription(signal) }));
    scope.adopt(tools.register(createDelegateTool(delegationSettings(loaded.config))));
    const { max_total_children: maxTotalChildren } = loaded.config.delegation;
    const host: AgentHost = {
      machine,
      models,
      tools,
      plugins: noPlugins,
      skills: { indexBlock: () => Promise.resolve(undefined) },
      records: noRecords,
      children: scope.adopt(new ChildTable({ clock, logger, maxTotalChildren })),
      accountGate: nousGate(new NousGuard(home.nousRateLimit, clock)),
      rateLimits: new RateLimitLedger(),
    };
    return {
      host,
      tools,
      distribution: knownDistributions(machine, tools.registry),
      chooseModel: (wanted, signal) => chooseModel(host, wanted, signal),
      [Symbol.asyncDispose]: () => scope[Symbol.asyncDispose](),
    };
  } catch (error) {
    await scope[Symbol.asyncDispose]();
    throw error;
  }
}

async function chooseModel({ models }: AgentHost, wanted: WantedModel, signal: AbortSignal): Promise<StartingModel> {
  const { model, provider, baseUrl, apiKey } = wanted;
  const isBare = model === undefined || provider !== undefined || baseUrl !== undefined;
  const named = isBare ? { model, provider } : readModelName(model, models.context);
  const resolution = await models.resolve(
    {
      ...defined({ model: named.model, provider: named.provider }),
      ...(baseUrl === undefined ? {} : { provider: provider ?? "custom", baseUrl }),
      ...defined({ apiKey }),
      isOneShot: true,
    },
    signal,
  );
  if (resolution.kind === "failure") {
    const { message, hint, code } = resolution;
    throw new UserError(message, { hint, code, exitCode: 3 });
  }
  const { target, pool } = resolution;
  const credentialCount = (await pool?.members(signal))?.length ?? 1;
  return { target, pool, credentialCount, isDemo: target.provider === demoProvider };
}

const noPlugins: AgentPlugins = {
  turnHooks: () => ({}),
  childStopped: () => Promise.resolve(),
  memoryProviders: () => [],
  contextEngines: () => [],
};

/** A rollout leaves its trajectory and nothing else. */
const noRecords: AgentRecords = {
  newSessionId: () => newId("rollout") as SessionId,
  childTranscript: (_parent, child) => Promise.resolve(unrecorded(child.sessionId)),
  readMessages: () => () => Promise.resolve([]),
  childCall: () => undefined,
  childEnded: () => undefined,
  fallback: () => undefined,
  compression: () => Promise.resolve(),
};
