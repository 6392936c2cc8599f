import { nonEmpty } from "#foundation/text/text";
import { readNamedEndpoints } from "../providers/custom.ts";
import { modelWarning } from "../providers/models/model-name.ts";
import { resolveAuto } from "./auto.ts";
import type { Resolution, ResolveContext, TargetRequest } from "./context.ts";
import { resolveDemo } from "./demo.ts";
import { unknownProvider } from "./failures.ts";
import { expandUserAlias } from "./model-choice.ts";
import { chooseProvider, type ProviderChoice, requestedProvider } from "./requested.ts";
import { resolveCustom } from "./resolve-custom.ts";
import { resolveProfile } from "./resolve-profile.ts";
import { resolveServed } from "./resolve-served.ts";
import type { Step } from "./trace.ts";
import { Trace } from "./trace.ts";

/**
 * Turns a request for a model into a target, for every surface alike. What was asked for comes first, then what was
 * saved, then the environment, then what the provider itself has to offer.
 */
export async function resolveTarget(
  input: TargetRequest,
  context: ResolveContext,
  signal: AbortSignal,
): Promise<Resolution> {
  const wanted = expandUserAlias(input, context);
  const trace = new Trace(context.once);
  const endpoints = readNamedEndpoints(context.settings.custom_providers, context.settings.providers, context.registry);
  for (const problem of [...endpoints.errors, ...endpoints.warnings]) trace.noticeOnce(`endpoint:${problem}`, problem);
  const requested = requestedProvider(wanted, context);
  const parts: Step = {
    wanted,
    context,
    trace,
    named: endpoints.endpoints,
    state: await context.authFile.read(signal),
    requested: requested.name,
    origin: requested.origin,
  };
  const demo = await resolveDemo(parts);
  if (demo !== undefined) return demo;
  if (requested.name === "auto") return finish(await resolveAuto(parts, resolveChoice, signal));
  const choice = chooseProvider(requested.name, parts.named, context);
  if (choice === undefined) {
    return trace.failed(unknownProvider(requested.name, context.registry, endpoints.errors));
  }
  sayStaleUrl(choice, parts);
  return finish(await resolveChoice(choice, parts, signal));
}

function resolveChoice(choice: ProviderChoice, parts: Step, signal: AbortSignal): Promise<Resolution> {
  if (choice.kind === "named") return resolveCustom(choice.endpoint, parts, signal);
  if (choice.profile.isOwnEndpoint === true) return resolveCustom(undefined, parts, signal);
  if (choice.profile.isServedHere === true) return resolveServed(choice.profile, parts, signal);
  return resolveProfile(choice.profile, parts, signal);
}

/** An exported address does nothing while another provider is chosen; saying so saves a long search. */
function sayStaleUrl(choice: ProviderChoice, { context, trace }: Step): void {
  if (choice.kind !== "profile" || choice.profile.isOwnEndpoint === true) return;
  if (nonEmpty(context.env.OPENAI_BASE_URL) === undefined) return;
  trace.noticeOnce(
    "stale-openai-base-url",
    `OPENAI_BASE_URL is set but not used, because the provider is ${choice.profile.id}; unset it, or choose: hermes model custom`,
  );
}

function finish(resolution: Resolution): Resolution {
  if (resolution.kind === "failure") return resolution;
  const warning = modelWarning(resolution.target.model);
  return warning === undefined ? resolution : { ...resolution, notices: [...resolution.notices, warning] };
}
