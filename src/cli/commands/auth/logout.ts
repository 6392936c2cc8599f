import { editConfig } from "#config";
import { UserError } from "#foundation/errors";
import { activeProvider, withoutProvider } from "#model";
import type { Invocation } from "../../command.ts";
import { argument, flagText } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { type ModelAccess, openModelAccess } from "../../support/models.ts";
import { findProvider } from "../../support/provider.ts";
import { editOptions } from "../../support/settings.ts";

export async function authLogout(invocation: Invocation): Promise<number> {
  await using parts = await openModelAccess(invocation);
  return await end(invocation, parts, argument(invocation, 0));
}

/** Without a name: whoever was logged in to last, else whoever the settings name. */
export async function logout(invocation: Invocation): Promise<number> {
  await using parts = await openModelAccess(invocation);
  const state = await parts.models.context.authFile.read(invocation.io.signal);
  const configured = parts.loaded.config.model.provider;
  const name =
    flagText(invocation, "provider") ?? activeProvider(state) ?? (configured === "auto" ? undefined : configured);
  if (name === undefined || name === "")
    throw new UserError("Nobody is logged in.", {
      code: "not_logged_in",
      hint: "Name one: hermes logout --provider <id>",
    });
  return await end(invocation, parts, name);
}

async function end(invocation: Invocation, { models, loaded, home }: ModelAccess, name: string): Promise<number> {
  const out = new Output(invocation);
  const { signal } = invocation.io;
  const { context } = models;
  const provider = findProvider(name, context);
  await context.flows.get(provider.key)?.logout(signal);
  await context.authFile.update((state) => withoutProvider(state, provider.key).state, signal);
  const wasChosen = loaded.config.model.provider === provider.key;
  if (wasChosen) {
    const change = { kind: "set", path: ["model", "provider"], value: "auto" } as const;
    await editConfig([change], editOptions(invocation, home));
  }
  out.document({ provider: provider.key, was_chosen: wasChosen });
  out.line(`Logged out of ${provider.label}; its stored credentials are gone.`);
  if (wasChosen) out.line("The provider is chosen automatically again (model.provider: auto).");
  return 0;
}

export async function loginPointer(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const name = invocation.args[0] ?? "<provider>";
  out.document({ moved_to: `hermes auth add ${name}` });
  out.line(`Logging in is now: hermes auth add ${name}\nOr choose provider and model together: hermes model`);
  return 0;
}
