import { defined } from "#foundation/defined";
import { UserError } from "#foundation/errors";
import { demoProvider, parseModelArgument, unlistedModel } from "#model";
import { exitCodes, type Invocation } from "../../command.ts";
import { argument, flagText, hasFlag } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { openModelAccess } from "../../support/models.ts";
import { endpointsOf, findProvider } from "../../support/provider.ts";
import { saveChoice } from "./save.ts";

export async function modelSet(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  await using parts = await openModelAccess(invocation);
  const { context } = parts.models;
  const text = argument(invocation, 0);
  const baseUrl = flagText(invocation, "base-url");
  const wanted = parseModelArgument(text, { registry: context.registry, named: endpointsOf(context).endpoints });
  const standing = parts.loaded.config.model.provider;
  const name = wanted.provider ?? (baseUrl !== undefined ? "custom" : standing);
  const isOwn = context.registry.find(wanted.provider ?? "")?.isOwnEndpoint === true;
  const isBuiltIn = isOwn || wanted.provider === demoProvider;
  if (wanted.provider !== undefined && !isBuiltIn) findProvider(wanted.provider, context);
  const resolution = await parts.models.resolve(
    {
      provider: name,
      ...defined({ model: wanted.model, baseUrl }),
    },
    invocation.io.signal,
  );
  if (resolution.kind === "failure" && !hasFlag(invocation, "force")) {
    const { message, hint, code } = resolution;
    throw new UserError(message, {
      code,
      hint: `${hint}\nOr save it anyway: hermes model set ${text} --force`,
      exitCode: ["no_provider_configured", "missing_api_key"].includes(code) ? exitCodes.noProvider : exitCodes.failed,
    });
  }
  const unlisted = resolution.kind === "target" ? unlistedModel(resolution.target, context) : undefined;
  if (unlisted !== undefined && !hasFlag(invocation, "force"))
    throw new UserError(unlisted.message, {
      code: "model_not_found",
      hint: `${unlisted.hint}\nOr save it anyway: hermes model set ${text} --force`,
    });
  const chosen =
    resolution.kind === "target"
      ? {
          provider: resolution.requestedProvider === "auto" ? resolution.target.provider : name,
          model: resolution.target.model,
        }
      : { provider: name, model: wanted.model ?? "" };
  const file = await saveChoice(invocation, { ...chosen, standing, ...defined({ baseUrl }) });
  out.document({ ...chosen, base_url: baseUrl ?? null, file });
  out.line(`${chosen.provider}: ${chosen.model}, saved in ${file}`);
  if (resolution.kind === "target") for (const notice of resolution.notices) out.note(notice);
  else out.note(resolution.message);
  return 0;
}
