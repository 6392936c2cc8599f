import { defined } from "#foundation/defined";
import { UserError } from "#foundation/errors";
import { deadline, linkSignals } from "#foundation/lifecycle/abort";
import { type AuthFlow, builtinFlows, openTlsConnections, type ResolveContext } from "#model";
import type { Invocation } from "../../command.ts";
import { flagNumber, flagText, hasFlag } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { isTerminal, openAsker } from "../../support/ask.ts";
import type { NamedProvider } from "../../support/provider.ts";
import { usageError } from "../../usage-error.ts";
import { offerNotice } from "./accept.ts";
import { openLoginUi } from "./login-ui.ts";

/** Logs in to a provider, with the addresses and certificates the person named. */
export async function login(
  invocation: Invocation,
  provider: Pick<NamedProvider, "key" | "label">,
  context: ResolveContext,
): Promise<{ readonly account?: string }> {
  const { io } = invocation;
  const out = new Output(invocation);
  const env = { ...context.env, ...overrides(invocation, provider.key, context.flows.get(provider.key)?.flags ?? {}) };
  const caBundle = flagText(invocation, "ca-bundle");
  await using tls = await openTlsConnections({
    env,
    isInsecure: hasFlag(invocation, "insecure"),
    ...defined({ caBundle }),
  });
  for (const warning of tls.warnings) out.note(warning);
  const flow = builtinFlows({
    authFile: context.authFile,
    clock: context.clock,
    env,
    userHome: context.userHome,
    hermesHome: context.hermesHome,
    client: tls.client,
  }).get(provider.key);
  if (flow === undefined) throw new UserError(`${provider.label} has no login.`, { code: "login_unsupported" });
  if (await isImported(invocation, flow, out)) {
    await offerNotice(invocation, provider.key, context);
    return {};
  }
  using limit = deadline(
    flagNumber(invocation, "timeout", { usual: 900 }) * 1000,
    "nobody completed the login in time",
  );
  using ui = openLoginUi(invocation, out, { hasBrowser: !hasFlag(invocation, "no-browser") });
  const outcome = await flow.login(ui, linkSignals(io.signal, limit.signal));
  if (outcome.kind === "failure") throw new UserError(outcome.message, { code: outcome.code, hint: outcome.hint });
  await offerNotice(invocation, provider.key, context);
  return defined({ account: outcome.account });
}

/** The login of the provider's own program, where there is one and the person wants it. */
async function isImported(invocation: Invocation, { imports, provider }: AuthFlow, out: Output): Promise<boolean> {
  const { io } = invocation;
  const isAsked = hasFlag(invocation, "import");
  const isThere = (await imports?.isThere()) === true;
  if (isAsked && !isThere)
    throw new UserError("There is no login of the provider's own program on this machine to copy.", {
      code: "nothing_to_import",
      hint: `Log in instead: hermes auth add ${provider}`,
    });
  if (imports === undefined || !isThere || !(isAsked || isTerminal(io))) return false;
  if (!isAsked) {
    using asker = openAsker(io);
    if (!(await asker.confirm(imports.question, false))) return false;
  }
  const isTaken = await imports.take(io.signal);
  if (isTaken) out.note("Its login was copied; its own file was not touched.");
  return isTaken;
}

/** Options of the line in the form the logins read them. One that this login does not read is refused, not ignored. */
function overrides(
  invocation: Invocation,
  provider: string,
  taken: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const input = ["portal-url", "inference-url", "client-id", "scope"].flatMap((name) => {
    const value = flagText(invocation, name);
    return value === undefined ? [] : [{ name, value }];
  });
  return Object.fromEntries(
    input.map(({ name, value }) => {
      const variable = taken[name];
      if (variable === undefined) throw usageError(`The login of ${provider} takes no --${name}.`, "Leave it out.");
      return [variable, value];
    }),
  );
}
