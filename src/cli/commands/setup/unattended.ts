import { writeSecret } from "#config";
import { defined } from "#foundation/defined";
import { UserError } from "#foundation/errors";
import { Secret } from "#foundation/secrets/secret";
import { exitCodes, type Invocation } from "../../command.ts";
import { flagText, hasFlag } from "../../invocation.ts";
import type { Output } from "../../output/output.ts";
import { openModelAccess } from "../../support/models.ts";
import { findProvider } from "../../support/provider.ts";
import { editOptions } from "../../support/settings.ts";
import { usageError } from "../../usage-error.ts";
import { sayEndpoint } from "../auth/add.ts";
import { tryIt } from "../model/choose.ts";
import { saveChoice } from "../model/save.ts";

const commands: readonly (readonly [string, string])[] = [
  ["hermes config set OPENROUTER_API_KEY -", "a provider's key, read from standard input"],
  ["hermes model set openrouter:anthropic/claude-sonnet-4.6", "provider and model"],
  ["hermes config set terminal.backend local", "where commands run: local, docker, ssh, …"],
  ["hermes config set agent.max_turns 90", "maximum model calls per turn"],
  ["hermes tools enable web", "a toolset"],
  ["hermes config set TELEGRAM_BOT_TOKEN -", "a messaging platform"],
  ["hermes doctor", "see whether it works"],
];

/** Changes nothing. */
export function printCommands(out: Output): number {
  const unattended = "hermes setup --non-interactive --provider <id> --model <name> --api-key-env <NAME>";
  out.document({ commands: commands.map(([command, about]) => ({ command, about })), unattended });
  out.line("This is not a terminal, so nothing can be asked. Run these instead:");
  for (const [command, about] of commands) out.line(`  ${command.padEnd(58)} ${about}`);
  out.line(`Or all at once: ${unattended}`);
  return exitCodes.ok;
}

/** Everything from the line and the environment; the key is read from a variable and never from the line. */
export async function setUpUnattended(invocation: Invocation, out: Output): Promise<number> {
  const { io } = invocation;
  const input = {
    provider: flagText(invocation, "provider"),
    model: flagText(invocation, "model"),
    keyVariable: flagText(invocation, "api-key-env"),
    baseUrl: flagText(invocation, "base-url"),
  };
  if (input.provider === undefined && input.baseUrl === undefined)
    throw usageError(
      "Which provider? --provider is missing.",
      "For example: --provider openrouter --model openai/gpt-5.2",
    );
  await using parts = await openModelAccess(invocation);
  const provider =
    input.provider === undefined || parts.models.context.registry.find(input.provider)?.isOwnEndpoint === true
      ? undefined
      : findProvider(input.provider, parts.models.context);
  const model = input.model ?? (provider?.kind === "profile" ? provider.profile.curatedModels[0] : undefined);
  if (model === undefined) throw usageError("Which model? --model is missing.", "For example: --model openai/gpt-5.2");
  if (input.keyVariable !== undefined) {
    const value = io.env[input.keyVariable] ?? parts.loaded.environment.variables[input.keyVariable] ?? "";
    if (value === "")
      throw new UserError(`The variable ${input.keyVariable} is empty.`, {
        code: "missing_api_key",
        exitCode: exitCodes.noProvider,
        hint: `Export it first: export ${input.keyVariable}=…`,
      });
    // Stored under the name the provider reads, so that the variable is not needed a second time.
    const target = provider?.kind === "profile" ? (provider.profile.keyEnv[0] ?? input.keyVariable) : input.keyVariable;
    const secret = new Secret(value);
    await writeSecret(target, secret, editOptions(invocation, parts.home));
    if (provider !== undefined)
      await sayEndpoint(provider, secret, { context: parts.models.context, out, signal: io.signal });
  }
  const choice = {
    provider: provider?.key ?? "custom",
    model,
    ...defined({ baseUrl: input.baseUrl }),
  };
  const more =
    provider === undefined && input.keyVariable !== undefined
      ? [{ kind: "set", path: ["model", "api_key"], value: `\${${input.keyVariable}}` } as const]
      : [];
  const file = await saveChoice(invocation, choice, more);
  out.document({ ...choice, file });
  out.line(`${choice.provider}: ${model}, saved in ${file}`);
  return hasFlag(invocation, "no-test") || out.isJson ? exitCodes.ok : await tryIt(invocation, out);
}
