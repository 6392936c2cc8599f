import { Scope } from "#foundation/disposal";
import { UserError } from "#foundation/errors";
import { type CredentialPool, type ResolvedTarget, serveDemoModel, type Target, type TargetWish } from "#model";
import { demoTarget } from "../demo-target.ts";
import type { Models } from "../wire-model.ts";

/** The model a session starts with. */
export interface ChosenModel extends AsyncDisposable {
  readonly target: Target;
  readonly pool: CredentialPool | undefined;
  readonly resolution: ResolvedTarget | undefined;
  /** More than one means that another can take over when one is refused. */
  readonly credentialCount: number;
  readonly isDemo: boolean;
  readonly notices: readonly string[];
}

export interface ModelWish {
  readonly model?: string;
  readonly provider?: string;
  readonly isOneShot: boolean;
}

/**
 * What was asked for, else what is configured, else the demo model that comes with the program: a newcomer
 * without any key can talk at once. Somebody who asked for a model and cannot have it is told why instead.
 */
export async function chooseModel(wish: ModelWish, models: Models, signal: AbortSignal): Promise<ChosenModel> {
  const { model, provider } = wish;
  const asked: TargetWish = {
    ...(model === undefined ? {} : { model }),
    ...(provider === undefined ? {} : { provider }),
    isOneShot: wish.isOneShot,
  };
  if (provider === "demo" || model === "demo") return demo([]);
  const resolution = await models.resolve(asked, signal);
  if (resolution.kind === "target") {
    const { target, notices, pool } = resolution;
    const nothing = { [Symbol.asyncDispose]: () => Promise.resolve() };
    const credentialCount = (await pool?.members(signal))?.length ?? 1;
    return { target, notices, pool, resolution, credentialCount, isDemo: false, ...nothing };
  }
  const isNewcomer = resolution.code === "no_provider_configured" && model === undefined && provider === undefined;
  if (isNewcomer && !wish.isOneShot)
    return demo(["No model is connected yet: this is the built-in demo model. Connect a real one with: hermes model"]);
  const { message, hint, code } = resolution;
  throw new UserError(message, { hint, code, exitCode: code === "no_provider_configured" ? 3 : 1 });
}

async function demo(notices: readonly string[]): Promise<ChosenModel> {
  const scope = new Scope();
  const server = scope.adopt(await serveDemoModel());
  return {
    target: demoTarget(server.baseUrl),
    pool: undefined,
    resolution: undefined,
    credentialCount: 1,
    isDemo: true,
    notices,
    [Symbol.asyncDispose]: () => scope[Symbol.asyncDispose](),
  };
}
