import { nonEmpty } from "#foundation/text/text";
import { tokenCredential } from "../credentials/scoped.ts";
import { scopeOf } from "../providers/hosts.ts";
import type { ProviderProfile } from "../providers/provider.ts";
import { buildTarget } from "./build-target.ts";
import type { Resolution, ServedModel, ServedModels } from "./context.ts";
import type { Refusal } from "./failures.ts";
import { modelSettings } from "./settings.ts";
import type { Step } from "./trace.ts";

/** A model of this machine. Nothing is started yet: the process that runs it is asked for with the first request. */
export async function resolveServed(profile: ProviderProfile, parts: Step, signal: AbortSignal): Promise<Resolution> {
  const { context, trace } = parts;
  const { served } = context;
  const models = (await served?.list()) ?? [];
  const name = wantedName(profile, parts);
  const model = name === undefined ? onlyOne(models) : models.find(({ id }) => id === name);
  if (served === undefined || model === undefined) return trace.failed(refusal(profile, models, name));
  const { baseUrl, token } = await served.address(signal);
  const { target } = buildTarget(
    {
      provider: profile.id,
      label: profile.label,
      profile,
      model: model.id,
      protocol: "chat_completions",
      url: baseUrl,
      credential: credentialOf(served, baseUrl, token),
      source: parts.origin,
      isNoticeAccepted: false,
      isConfiguredModel: false,
      listed: { id: model.id, contextWindow: model.contextWindow },
    },
    context,
  );
  trace.take(profile.id, "a model of this machine");
  const limits = { ...target.limits, contextWindow: model.contextWindow, windowSource: "the model file" };
  return trace.resolved({ target: { ...target, limits, isServedHere: true }, requestedProvider: parts.requested });
}

/** Every request brings the process to life before it goes out, so an idle one may end. */
function credentialOf(
  served: ServedModels,
  baseUrl: string,
  token: Awaited<ReturnType<ServedModels["address"]>>["token"],
): ReturnType<typeof tokenCredential> {
  const scope = scopeOf(baseUrl);
  return tokenCredential({
    id: "local",
    source: "this machine",
    scheme: { kind: "bearer" },
    allowedHosts: scope === undefined ? [] : [scope],
    tokens: {
      async current(signal) {
        await served.ready(signal);
        return { secret: token };
      },
      renew: () => Promise.resolve(false),
      secrets: [token],
      isLazy: true,
    },
  });
}

function wantedName(profile: ProviderProfile, { wanted, context }: Step): string | undefined {
  const saved = modelSettings(context.settings);
  const isSaved = context.registry.find(nonEmpty(saved.provider) ?? "")?.id === profile.id;
  return nonEmpty(wanted.model) ?? (isSaved ? nonEmpty(saved.default) : undefined);
}

function onlyOne(models: readonly ServedModel[]): ServedModel | undefined {
  return models.length === 1 ? models[0] : undefined;
}

function refusal(profile: ProviderProfile, models: readonly ServedModel[], name: string | undefined): Refusal {
  const there = models.map(({ id }) => id).join(", ");
  return {
    kind: "failure",
    code: "model_not_found",
    message:
      name === undefined
        ? there === ""
          ? "There is no model on this machine yet."
          : "There are several models on this machine, and none is named."
        : `There is no model ${JSON.stringify(name)} on this machine.`,
    hint: there === "" ? "Get one with: hermes local pull" : `There are: ${there}`,
    provider: profile.id,
  };
}
