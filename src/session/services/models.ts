import type { Agent } from "#agent";
import type { Config } from "#config";
import { defined } from "#foundation/defined";
import type { Logger } from "#foundation/files/logger";
import type { Redactor } from "#foundation/secrets/redact";
import {
  type Auxiliary,
  type AuxiliaryTask,
  auxiliaryTasks,
  checkWindow,
  demoProvider,
  hasFastService,
  type Models,
  type PickerEntry,
  type ResolveContext,
  switchModel,
  type Target,
  type WindowCheck,
} from "#model";
import type { PickerItem } from "../api.ts";
import { SavedModel } from "./saved-model.ts";

export interface ModelService {
  readonly facts: ModelFacts;
  /** Which model each side task would ask now. */
  sideModels(signal: AbortSignal): Promise<readonly SideModel[]>;
  list(signal: AbortSignal): Promise<readonly PickerItem[]>;
  /** Changes the model of this session, and with `isGlobal` the saved choice. A message for the person either way. */
  switch(request: ModelRequest, signal: AbortSignal): Promise<{ readonly ok: boolean; readonly message: string }>;
  /**
   * Takes over what was saved since: another key, and where the session follows the settings another model. Nothing to wait
   * for as long as nothing was saved.
   */
  refresh(signal: AbortSignal): Promise<void> | undefined;
}

export interface ModelRequest {
  readonly model: string;
  readonly provider?: string | undefined;
  readonly isGlobal: boolean;
}

interface ModelFacts {
  /** Where the model and its key came from, for people. */
  readonly source: string;
  readonly isDemo: boolean;
  readonly warnings: readonly string[];
  /** What the person accepted to work with: a window too small for long work. */
  readonly windowWarning: string | undefined;
  /** Where the size of the context window is known from. */
  readonly windowSource: string | undefined;
  /** The provider sells a faster service beside the usual one. */
  readonly hasFastService: boolean;
}

export interface SideModel {
  readonly task: AuxiliaryTask;
  /** With its provider; undefined when nobody could be asked. */
  readonly model: string | undefined;
}

export interface ModelServiceDeps {
  readonly agent: Agent;
  /** The model the session began with. */
  readonly chosen: { readonly target: Target; readonly notices: readonly string[] };
  /** Absent where the side work is done elsewhere. */
  readonly auxiliary: Pick<Auxiliary, "reachable"> | undefined;
  readonly config: Config;
  /** With the settings and keys as they are saved now: a model may have been connected since the session began. */
  context(): Promise<ResolveContext>;
  /** Another one when settings or keys were saved. */
  settingsStamp(): string;
  /** The model that the session would begin with now. */
  choose(signal: AbortSignal): Promise<{ readonly target: Target }>;
  readonly resolve: Models["resolve"];
  /** Another default model becomes the one of this session, unless its person chose one. */
  readonly followsSettings: boolean;
  readonly logger: Logger;
  readonly redactor: Redactor;
  choices(signal: AbortSignal): Promise<readonly PickerEntry[]>;
  save(target: Target): Promise<void>;
  /** Why another model cannot be chosen here. */
  readonly whyFixed?: string | undefined;
}

export function modelService(deps: ModelServiceDeps): ModelService {
  const { agent, chosen } = deps;
  const { conversation } = agent;
  const saved = new SavedModel(deps);
  return {
    get facts() {
      const { windowSource } = conversation.target.limits;
      return {
        source: conversation.primary.source,
        isDemo: conversation.primary.provider === demoProvider,
        warnings: conversation.primary === chosen.target ? chosen.notices : [],
        windowWarning: warningOf(windowRule(conversation.target, deps.config)),
        windowSource,
        hasFastService: hasFastService(conversation.target),
      };
    },
    async sideModels(signal) {
      const asked = auxiliaryTasks.map(async (task) => {
        const target = await deps.auxiliary?.reachable(task, signal);
        return { task, model: target === undefined ? undefined : `${target.model} — ${target.provider}` };
      });
      return deps.auxiliary === undefined ? [] : await Promise.all(asked);
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
      saved.isFollowed = false;
      if (isGlobal) await deps.save(target);
      const warnings = [...outcome.warnings, ...(window.kind === "warning" ? [window.message] : [])];
      const notes = warnings.length === 0 ? "" : ` ${warnings.join(" ")}`;
      const where = isGlobal ? " From now on this is the default." : "";
      return { ok: true, message: `Now using ${target.model} via ${target.providerLabel}.${where}${notes}` };
    },
    refresh: (signal) => saved.refresh(signal),
  };
}

const warningOf = (window: WindowCheck): string | undefined => (window.kind === "warning" ? window.message : undefined);

/** Whether work may begin with this model: by its window, and by what `model.allow_small_context` says about small ones. */
export function windowRule({ model, limits, isServedHere }: Target, config: Config): WindowCheck {
  const server = servers.find(([name]) => limits.windowSource?.startsWith(name))?.[1];
  return checkWindow(limits.contextWindow, {
    model,
    isSmallAllowed: config.model.allow_small_context || isServedHere === true,
    ...defined({ server }),
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
