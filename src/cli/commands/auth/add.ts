import { defined } from "#foundation/defined";
import { UserError } from "#foundation/errors";
import { Secret } from "#foundation/secrets/secret";
import { maskKey, type ProviderRegistry, probeKey, type ResolveContext } from "#model";
import type { Invocation } from "../../command.ts";
import { argument, flagText } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { isTerminal, openAsker } from "../../support/ask.ts";
import { openModelAccess } from "../../support/models.ts";
import { findProvider, type NamedProvider, openPool } from "../../support/provider.ts";
import { readStdin } from "../../support/stdin.ts";
import { usageError } from "../../usage-error.ts";
import { login } from "./login.ts";

/** A key, or a login where the provider has one and no key was offered. */
export async function authAdd(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  await using parts = await openModelAccess(invocation);
  const { context } = parts.models;
  const provider = findProvider(argument(invocation, 0), context);
  if (kindOf(invocation, provider, context.flows.has(provider.key)) === "oauth") {
    const { account } = await login(invocation, provider, context);
    out.document({ provider: provider.key, type: "oauth", account: account ?? null });
    out.line(`Logged in to ${provider.label}${account === undefined ? "" : ` as ${account}`}.`);
    return 0;
  }
  const secret = await readKey(invocation, provider);
  const made = providerOfKey(secret.reveal(), context.registry);
  if (made !== undefined && made !== provider.key && provider.kind === "profile")
    out.note(`This looks like a key of ${made}, not of ${provider.label}.`);
  const pool = await openPool(provider, context, invocation.io.signal);
  const label = flagText(invocation, "label");
  const id = await pool.add(
    {
      secret,
      ...defined({ label }),
      ...(provider.kind === "endpoint" ? { baseUrl: provider.baseUrl } : {}),
    },
    invocation.io.signal,
  );
  await sayEndpoint(provider, secret, { context, out, signal: invocation.io.signal });
  out.document({ provider: provider.key, type: "api-key", id, masked: maskKey(secret) });
  out.line(`Added ${maskKey(secret)} for ${provider.label} (${id}).`);
  return 0;
}

/** Some services have several addresses, and a key works at one of them. */
export async function sayEndpoint(
  provider: NamedProvider,
  secret: Secret,
  { context, out, signal }: { readonly context: ResolveContext; readonly out: Output; readonly signal: AbortSignal },
): Promise<void> {
  if (provider.kind !== "profile" || provider.profile.probeBaseUrls === undefined) return;
  const baseUrl = await probeKey(provider.profile, secret, { context, signal });
  if (baseUrl !== undefined) out.note(`The key works at ${baseUrl}`);
}

function kindOf(invocation: Invocation, provider: NamedProvider, hasFlow: boolean): "oauth" | "api-key" {
  const asked = flagText(invocation, "type");
  const key = flagText(invocation, "api-key");
  if (asked === "oauth") {
    if (key !== undefined)
      throw usageError("--type oauth and --api-key cannot be used together.", "Leave one of them out.");
    if (!hasFlow)
      throw new UserError(`${provider.label} has no login.`, {
        code: "login_unsupported",
        hint: `Add a key: hermes auth add ${provider.key} --type api-key`,
      });
    return "oauth";
  }
  const wantsKey = asked === "api-key" || key !== undefined;
  const isLoginOnly = provider.kind === "profile" && /^oauth/.test(provider.profile.authKind);
  return !wantsKey && hasFlow && isLoginOnly ? "oauth" : "api-key";
}

/** Typed unseen, piped in, or given in the line; the last is visible to others on the machine. */
export async function readKey(
  invocation: Invocation,
  provider: { readonly key: string; readonly label: string },
): Promise<Secret> {
  const input = flagText(invocation, "api-key");
  const { io } = invocation;
  const text =
    input === "-" || (input === undefined && !isTerminal(io)) ? await readStdin(io) : (input ?? (await typed()));
  const key = text.trim();
  if (key !== "") return new Secret(key);
  throw new UserError(`No key was given for ${provider.label}.`, {
    code: "missing_api_key",
    hint: `Pipe it in: printf %s "$KEY" | hermes auth add ${provider.key} --api-key -`,
  });

  async function typed(): Promise<string> {
    using asker = openAsker(io);
    return await asker.secret(`Key for ${provider.label}`);
  }
}

/** Which provider a key was made by, where its beginning tells. */
export function providerOfKey(key: string, registry: ProviderRegistry): string | undefined {
  return registry.all().find((one) => one.keyPrefixes?.some((prefix) => key.startsWith(prefix)) === true)?.id;
}
