import { defined } from "#foundation/defined";
import { UserError } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import {
  type CredentialPool,
  demoProvider,
  type FallbackEntry,
  type Models,
  type ResolvedTarget,
  readModelName,
  startTarget,
  type Target,
  type TargetRequest,
} from "#model";

/** The model a session starts with. */
export interface ChosenModel {
  readonly target: Target;
  readonly pool: CredentialPool | undefined;
  readonly resolution: ResolvedTarget | undefined;
  /** More than one means that another can take over when one is refused. */
  readonly credentialCount: number;
  readonly isDemo: boolean;
  readonly notices: readonly string[];
  /** Why it is not the one that was asked for. */
  readonly fallbackNotice?: string | undefined;
  /** The models that may still take over. */
  readonly fallbackChain: readonly FallbackEntry[];
}

export interface WantedModel {
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly isOneShot: boolean;
  readonly fallbackChain: readonly FallbackEntry[];
  readonly logger: Logger;
}

/**
 * What was asked for, else what is configured, else the fallback chain, else the demo model that comes with the program: a newcomer
 * without any key can talk at once. Somebody who asked for a model and cannot have it is told why instead.
 */
export async function chooseModel(wanted: WantedModel, models: Models, signal: AbortSignal): Promise<ChosenModel> {
  const { model, baseUrl, fallbackChain, logger } = wanted;
  const provider = wanted.provider ?? (baseUrl === undefined ? undefined : "custom");
  // The same words mean the same here and after /model.
  const named =
    model === undefined || provider !== undefined ? { model, provider } : readModelName(model, models.context);
  const asked: TargetRequest = {
    ...defined({ model: named.model, provider: named.provider, baseUrl }),
    isOneShot: wanted.isOneShot,
  };
  const deps = { resolve: models.resolve.bind(models), chain: fallbackChain, logger };
  const { resolution, chain, notice } = await startTarget(asked, deps, signal);
  if (resolution.kind === "target") {
    const { target, notices, pool } = resolution;
    const credentialCount = (await pool?.members(signal))?.length ?? 1;
    const isDemo = target.provider === demoProvider;
    return { target, notices, pool, resolution, credentialCount, isDemo, fallbackChain: chain, fallbackNotice: notice };
  }
  const isNewcomer = resolution.code === "no_provider_configured" && model === undefined && provider === undefined;
  const demo = isNewcomer && !wanted.isOneShot ? await models.demo() : undefined;
  if (demo !== undefined) return { ...onlyModel(demo), isDemo: true, fallbackChain };
  const { message, hint, code } = resolution;
  throw new UserError(message, { hint, code, exitCode: withoutCredentials.has(code) ? 3 : 1 });
}

/** Nobody can be asked: no provider, no key, no login, or one that is no longer accepted. */
const withoutCredentials: ReadonlySet<string> = new Set([
  "no_provider_configured",
  "missing_api_key",
  "codex_auth_missing",
  "qwen_auth_missing",
  "relogin_required",
  "no_aws_credentials",
  "unsupported_token_type",
]);

/** A target that was made here and not looked for; nothing takes its place. */
export function onlyModel(target: Target): ChosenModel {
  return {
    target,
    pool: undefined,
    resolution: undefined,
    credentialCount: 1,
    isDemo: false,
    notices: [],
    fallbackChain: [],
  };
}
