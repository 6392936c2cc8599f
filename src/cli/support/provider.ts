import { UserError } from "#foundation/errors";
import {
  CredentialPool,
  findCredentials,
  type PoolMember,
  type ProviderProfile,
  type ResolveContext,
  readNamedEndpoints,
} from "#model";

/** A provider by what a person calls it: one of ours, or an endpoint of their own. */
export type NamedProvider =
  | { readonly kind: "profile"; readonly key: string; readonly label: string; readonly profile: ProviderProfile }
  | { readonly kind: "endpoint"; readonly key: string; readonly label: string; readonly baseUrl: string };

export function findProvider(name: string, context: ResolveContext): NamedProvider {
  const profile = context.registry.find(name);
  if (profile !== undefined && profile.isOwnEndpoint !== true)
    return { kind: "profile", key: profile.id, label: profile.label, profile };
  const { endpoints } = endpointsOf(context);
  const wanted = name.trim().toLowerCase();
  const own = endpoints.find(({ slug, name: title }) => slug === wanted || title.toLowerCase() === wanted);
  if (own !== undefined) return { kind: "endpoint", key: own.slug, label: own.name, baseUrl: own.baseUrl };
  const meant = context.registry.suggest(name);
  throw new UserError(
    `There is no provider "${name}".${meant === undefined || meant === wanted ? "" : ` Did you mean ${meant}?`}`,
    {
      code: "invalid_provider",
      hint: "See them with: hermes model providers",
    },
  );
}

export function endpointsOf({ settings, registry }: ResolveContext) {
  return readNamedEndpoints(settings.custom_providers, settings.providers, registry);
}

/** The credentials of one provider, to be looked at and changed; none of them is used. */
export async function openPool(
  provider: NamedProvider,
  context: ResolveContext,
  signal: AbortSignal,
): Promise<CredentialPool> {
  const state = await context.authFile.read(signal);
  const found =
    provider.kind === "endpoint"
      ? []
      : await findCredentials(
          { profile: provider.profile, requested: provider.key, state, warn: () => undefined },
          context,
          signal,
        );
  return new CredentialPool({
    key: provider.key,
    authFile: context.authFile,
    found,
    clock: context.clock,
    openHandle: () => {
      throw new Error("a credential that is only looked at cannot be used");
    },
  });
}

/** Whether and until when a credential rests. */
export function stateOf(member: PoolMember, nowMs: number): string {
  const { exhausted } = member;
  if (exhausted === undefined || exhausted.untilMs <= nowMs) return "ok";
  return `paused until ${new Date(exhausted.untilMs).toISOString().slice(0, 16).replace("T", " ")} (${exhausted.reason})`;
}
