import { UserError } from "#foundation/errors";
import { acceptedNotices, type ProviderProfile, type ResolveContext, withAcceptedNotice } from "#model";
import type { Invocation } from "../../command.ts";
import { argument, hasFlag } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { isTerminal, openAsker } from "../../support/ask.ts";
import { openModelAccess } from "../../support/models.ts";
import { findProvider } from "../../support/provider.ts";

/** Agrees that requests to a provider may name the client it was made for; or takes that back. */
export async function authAccept(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  await using parts = await openModelAccess(invocation);
  const { context } = parts.models;
  const provider = findProvider(argument(invocation, 0), context);
  const profile = provider.kind === "profile" ? provider.profile : undefined;
  if (profile?.policyNotice === undefined)
    throw new UserError(`${provider.label} has no notice to agree to.`, { code: "no_notice" });
  const isWithdrawn = hasFlag(invocation, "withdraw");
  const isAccepted = !isWithdrawn && (await isAgreed(invocation, profile));
  if (isWithdrawn || isAccepted) await remember(profile.id, isAccepted, { context, signal: invocation.io.signal });
  out.document({ provider: profile.id, is_accepted: isAccepted, notice: profile.policyNotice });
  if (isAccepted) out.line(`Requests to ${profile.label} now identify themselves as it expects.`);
  else out.line(isWithdrawn ? `Your agreement for ${profile.label} is withdrawn.` : "Nothing was changed.");
  return isAccepted || isWithdrawn ? 0 : 1;
}

async function isAgreed(invocation: Invocation, profile: ProviderProfile): Promise<boolean> {
  if (hasFlag(invocation, "yes")) return true;
  const { io } = invocation;
  if (!isTerminal(io))
    throw new UserError(profile.policyNotice ?? "", {
      code: "terminal_needed",
      hint: `Agree without a terminal: hermes auth accept ${profile.id} --yes`,
    });
  using asker = openAsker(io);
  return await asker.confirm(`${profile.policyNotice ?? ""}\nAgree?`, false);
}

/** After a login: the notice is asked about where it has not been answered yet. */
export async function offerNotice(invocation: Invocation, key: string, context: ResolveContext): Promise<void> {
  const profile = context.registry.find(key);
  const { io } = invocation;
  if (profile?.policyNotice === undefined || !isTerminal(io)) return;
  if (acceptedNotices(await context.authFile.read(io.signal)).has(profile.id)) return;
  if (await isAgreed(invocation, profile)) await remember(profile.id, true, { context, signal: io.signal });
}

async function remember(
  provider: string,
  isAccepted: boolean,
  { context, signal }: { readonly context: ResolveContext; readonly signal: AbortSignal },
): Promise<void> {
  const at = isAccepted ? new Date(context.clock.now()) : undefined;
  await context.authFile.update((state) => withAcceptedNotice(state, provider, at), signal);
}
