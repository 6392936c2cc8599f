import type { Agent } from "#agent";
import type { Config } from "#config";
import type { Redactor } from "#foundation/secrets/redact";
import {
  type Auxiliary,
  type AuxiliaryTask,
  auxiliaryTasks,
  checkWindow,
  hasFastService,
  type PickerEntry,
  type ResolveContext,
  switchModel,
  type Target,
  type WindowCheck,
} from "#model";
import type { PickerItem } from "../api.ts";

export interface ModelService {
  readonly facts: ModelFacts;
  list(signal: AbortSignal): Promise<readonly PickerItem[]>;
  /** Changes the model of this session, and with `isGlobal` the saved choice. A message for the person either way. */
  switch(request: ModelRequest, signal: AbortSignal): Promise<{ readonly ok: boolean; readonly message: string }>;
}

export interface ModelRequest {
  readonly model: string;
  readonly provider?: string | undefined;
  readonly isGlobal: boolean;
}

export interface ModelFacts {
  /** Where the model and its key came from, for people. */
  readonly source: string;
  readonly isDemo: boolean;
  readonly warnings: readonly string[];
  /** Where the size of the context window is known from. */
  readonly windowSource: string | undefined;
  /** The provider sells a faster service beside the usual one. */
  readonly hasFastService: boolean;
  /** Which model each side task would ask now; tasks nobody is set up for are left out. */
  readonly sideModels: readonly SideModel[];
}

interface SideModel {
  readonly task: AuxiliaryTask;
  readonly provider: string;
  readonly model: string | undefined;
}

export interface ModelServiceDeps {
  readonly agent: Agent;
  /** The model the session began with. */
  readonly chosen: { readonly target: Target; readonly isDemo: boolean; readonly notices: readonly string[] };
  /** Absent where the side work is done elsewhere. */
  readonly auxiliary: Pick<Auxiliary, "planned"> | undefined;
  readonly config: Config;
  /** With the settings and keys as they are saved now: a model may have been connected since the session began. */
  context(): Promise<ResolveContext>;
  readonly redactor: Redactor;
  choices(signal: AbortSignal): Promise<readonly PickerEntry[]>;
  save(target: Target): Promise<void>;
  /** Why another model cannot be chosen here. */
  readonly whyFixed?: string | undefined;
}

export function modelService(deps: ModelServiceDeps): ModelService {
  const { agent, chosen } = deps;
  const { conversation } = agent;
  return {
    get facts() {
      const { windowSource } = conversation.target.limits;
      return {
        source: chosen.target.source,
        isDemo: chosen.isDemo,
        warnings: chosen.notices,
        windowSource,
        hasFastService: hasFastService(conversation.target),
        sideModels: auxiliaryTasks.flatMap((task) => {
          const planned = deps.auxiliary?.planned(task);
          return planned === undefined ? [] : [{ task, provider: planned.provider, model: planned.model }];
        }),
      };
    },
    async list(signal) {
      const { provider: standing, model, providerLabel } = conversation.primary;
      const items = (await deps.choices(signal)).flatMap(({ provider, label, models }) =>
        models.map((name) => ({
          value: `${provider}:${name}`,
          label: name,
          detail: label,
          isCurrent: provider === standing && name === model,
        })),
      );
      // A model that was named by hand is on no list, and it is a choice all the same.
      if (items.some(({ isCurrent }) => isCurrent)) return items;
      return [{ value: `${standing}:${model}`, label: model, detail: providerLabel, isCurrent: true }, ...items];
    },
    async switch({ model, provider, isGlobal }, signal) {
      if (deps.whyFixed !== undefined) return { ok: false, message: deps.whyFixed };
      const text = provider === undefined ? model : `${provider}:${model}`;
      const outcome = await switchModel({ text, standing: conversation.primary }, await deps.context(), signal);
      if (outcome.kind === "failure") return { ok: false, message: `${outcome.message} ${outcome.hint}` };
      const { target } = outcome.resolution;
      const window = windowRule(target, deps.config);
      if (window.kind === "refused") return { ok: false, message: `${window.message} ${window.hint}` };
      for (const secret of target.credential.secrets) deps.redactor.add(secret, target.provider);
      await agent.changeModel(target);
      if (isGlobal) await deps.save(target);
      const warnings = [...outcome.warnings, ...(window.kind === "warning" ? [window.message] : [])];
      const notes = warnings.length === 0 ? "" : ` ${warnings.join(" ")}`;
      const where = isGlobal ? " From now on this is the default." : "";
      return { ok: true, message: `Now using ${target.model} via ${target.providerLabel}.${where}${notes}` };
    },
  };
}

/** Whether work may begin with this model: by its window, and by what `model.allow_small_context` says about small ones. */
export function windowRule({ model, limits, isServedHere }: Target, config: Config): WindowCheck {
  const server = servers.find(([name]) => limits.windowSource?.startsWith(name))?.[1];
  return checkWindow(limits.contextWindow, {
    model,
    isSmallAllowed: config.model.allow_small_context || isServedHere === true,
    ...(server === undefined ? {} : { server }),
  });
}

/** Who said how large the window is, by the words that are shown for it. */
const servers = [
  ["Ollama", "ollama"],
  ["LM Studio", "lm-studio"],
  ["llama.cpp", "llama.cpp"],
  ["vLLM", "vllm"],
  ["SGLang", "sglang"],
] as const;
