import { join, resolve } from "node:path";
import { defined } from "#foundation/defined";
import { findExecutable } from "#foundation/process/platform";
import { nonEmpty } from "#foundation/text/text";
import { noAwsCredentials, openAwsCredential } from "../credentials/aws/aws-credential.ts";
import { hasAwsCredentials } from "../credentials/aws/chain.ts";
import { noCredential } from "../credentials/scoped.ts";
import { scopeOf } from "../providers/hosts.ts";
import type { ProviderProfile } from "../providers/provider.ts";
import { bedrockHosts } from "../providers/records/clouds.ts";
import type { Target, TargetQuirks } from "../target.ts";
import { buildTarget } from "./build-target.ts";
import type { Resolution } from "./context.ts";
import { awsRegion, type Endpoint, ownEndpoint } from "./endpoint/endpoint.ts";
import { missingUrl } from "./failures.ts";
import type { ModelChoice } from "./model-choice.ts";
import { chooseProtocol, explicitProtocol } from "./protocol.ts";
import type { ProviderSettings } from "./settings.ts";
import type { Step } from "./trace.ts";

/** What is known when a provider without a pool of keys gets its turn. */
interface Supplied {
  readonly parts: Step;
  readonly set: Endpoint | undefined;
}

/** Bedrock signs each request; its hosts depend on the region. */
export async function resolveAws(
  profile: ProviderProfile,
  choice: ModelChoice,
  { parts, set, signal }: Supplied & { readonly signal: AbortSignal },
): Promise<Resolution> {
  const { context, trace } = parts;
  const region = awsRegion(context);
  const chain = { env: context.env, userHome: context.userHome, clock: context.clock };
  const scope = set === undefined ? undefined : scopeOf(set.url);
  const credential = await openAwsCredential(
    {
      ...chain,
      region,
      service: "bedrock",
      allowedHosts: [...bedrockHosts(region), ...(scope === undefined ? [] : [scope])],
      // A machine that holds nothing else may be an instance with a role; an explicit wish is worth the second.
      askInstance: parts.origin !== "default" && !(await hasAwsCredentials(chain)),
    },
    signal,
  );
  if (credential === undefined) return trace.failed({ kind: "failure", ...noAwsCredentials, provider: profile.id });
  const endpoint = set ?? ownEndpoint(profile, undefined, { state: parts.state, region });
  if (endpoint === undefined) return trace.failed(missingUrl(profile));
  const explicit = explicitProtocol(profile, parts);
  const protocol = chooseProtocol({
    profile,
    model: choice.model,
    baseUrl: endpoint.url,
    ...defined({ explicit }),
  });
  const { target } = buildTarget(
    {
      provider: profile.id,
      label: profile.label,
      profile,
      model: choice.model,
      protocol,
      url: endpoint.url,
      credential,
      source: parts.wanted.source ?? credential.source,
      isNoticeAccepted: false,
      isConfiguredModel: choice.isConfigured,
      ...(protocol === "bedrock_converse" ? guardrailOf(context.settings.bedrock) : {}),
    },
    context,
  );
  trace.take(profile.id, credential.source);
  return trace.resolved({ target, requestedProvider: parts.requested, region });
}

/** `bedrock.guardrail`, as the wire names it. */
function guardrailOf(bedrock: ProviderSettings["bedrock"]): { readonly quirks?: TargetQuirks } {
  const { guardrail_identifier, guardrail_version, stream_processing_mode, trace } = bedrock?.guardrail ?? {};
  const guardrailIdentifier = nonEmpty(guardrail_identifier);
  if (guardrailIdentifier === undefined) return {};
  const guardrailConfig = {
    guardrailIdentifier,
    guardrailVersion: nonEmpty(guardrail_version) ?? "DRAFT",
    ...(nonEmpty(stream_processing_mode) === undefined ? {} : { streamProcessingMode: stream_processing_mode }),
    ...(nonEmpty(trace) === undefined ? {} : { trace }),
  };
  return { quirks: { extraBody: { guardrailConfig } } };
}

/** A program that is started for each request and holds its own login. */
export function resolveProcess(profile: ProviderProfile, choice: ModelChoice, { parts, set }: Supplied): Resolution {
  const { context, trace } = parts;
  const { env } = context;
  const command = nonEmpty(env.HERMES_COPILOT_ACP_COMMAND) ?? nonEmpty(env.COPILOT_CLI_PATH) ?? "copilot";
  const isOverTcp = set?.url.startsWith("acp+tcp:") === true;
  const found = isOverTcp ? undefined : findExecutable(command, { ...env, PATH: env.PATH ?? join("/usr", "bin") });
  if (!isOverTcp && found === undefined) {
    return trace.failed({
      kind: "failure",
      code: "missing_copilot_cli",
      message: `The program ${JSON.stringify(command)} was not found.`,
      hint: "Install the GitHub Copilot CLI, or name it in HERMES_COPILOT_ACP_COMMAND.",
      provider: profile.id,
    });
  }
  const args = nonEmpty(env.HERMES_COPILOT_ACP_ARGS)?.split(/\s+/) ?? ["--acp", "--stdio"];
  const { target } = buildTarget(
    {
      provider: profile.id,
      label: profile.label,
      profile,
      model: choice.model,
      protocol: "chat_completions",
      url: set?.url ?? profile.baseUrl,
      credential: noCredential,
      source: parts.wanted.source ?? "process",
      isNoticeAccepted: false,
      isConfiguredModel: choice.isConfigured,
    },
    context,
  );
  trace.take(profile.id, command);
  // It is started in a folder of its own, so where it was found counts from here.
  const started: Target = found === undefined ? target : { ...target, program: { command: resolve(found), args } };
  return trace.resolved({ target: started, requestedProvider: parts.requested, command, args });
}
