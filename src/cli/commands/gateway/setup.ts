import { type Config, writeSecret } from "#config";
import { UserError } from "#foundation/errors";
import { Secret } from "#foundation/secrets/secret";
import { loadPlatform, type Platform, platformIds, runningInstance } from "#gateway";
import { exitCodes, type Invocation } from "../../command.ts";
import { flagText } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { isTerminal, openAsker } from "../../support/ask.ts";
import { homeOf } from "../../support/home.ts";
import { loadSettings } from "../../support/settings.ts";
import { isSet, isSetUp, tried } from "./credentials.ts";
import { loggedIn, paired } from "./login.ts";

/** Those most people have, first. */
const popular = ["telegram", "discord", "slack", "whatsapp", "signal", "matrix", "mattermost", "email", "sms"];
const mostTries = 3;

/** `hermes gateway setup`: a platform is set up, and served at once where the person wants that. */
export async function gatewaySetup(invocation: Invocation): Promise<number> {
  const out = await setUpPlatform(invocation);
  return isTerminal(invocation.io) ? await goOn(invocation, out, { canServeHere: true }) : nextStep(out);
}

/** The same within `hermes setup`, which goes on afterwards: what is served here would hold it up. */
export async function gatewayPartOfSetup(invocation: Invocation): Promise<void> {
  await goOn(invocation, await setUpPlatform(invocation), { canServeHere: false });
}

/** Asks for what a platform needs, or takes it from flags, and keeps it in `.env`. */
async function setUpPlatform(invocation: Invocation): Promise<Output> {
  const out = new Output(invocation);
  const platform = await chosen(invocation);
  const token = flagText(invocation, "token");
  const values: Readonly<Record<string, string | undefined>> = {
    token,
    allowed_users: flagText(invocation, "allowed-users"),
    ...(token === undefined ? await loggedIn(platform, invocation, out) : {}),
  };
  const isAsking = isTerminal(invocation.io);
  const kept: string[] = [];
  let refusal = await keepAll({ platform, values, kept }, invocation, out);
  for (let attempt = 1; refusal !== undefined && isAsking && attempt < mostTries; attempt += 1) {
    out.line(refusal);
    refusal = await keepAll({ platform, values: {}, kept, isAnew: true }, invocation, out);
  }
  if (refusal !== undefined) throw new UserError(refusal, { hint: `Try again: hermes gateway setup ${platform.id}` });
  await paired(platform, invocation, out);
  out.document({ platform: platform.id, kept });
  out.line(`${platform.label} is set up.`);
  return out;
}

interface Keeping {
  readonly platform: Platform;
  /** From flags and logins, by the names of the credentials. */
  readonly values: Readonly<Record<string, string | undefined>>;
  readonly kept: string[];
  /** What was kept before was refused. */
  readonly isAnew?: boolean;
}

/** Asks for what is missing and keeps it. Gives why the platform does not take it. */
async function keepAll(
  { platform, values, kept, isAnew = false }: Keeping,
  invocation: Invocation,
  out: Output,
): Promise<string | undefined> {
  const home = homeOf(invocation);
  const { env, signal } = invocation.io;
  const { config } = (await loadSettings(invocation, { isQuiet: true })).loaded;
  for (const credential of platform.credentials) {
    const { name, variable, question, help, isSecret, isOptional } = credential;
    // The environment has the last word, so there is nothing to ask.
    if (values[name] === undefined && (env[variable] ?? "") !== "") continue;
    if (isAnew && !isSecret) continue;
    const isThere = isSet(platform, name, config) && !isAnew;
    const value = values[name] ?? (await asked(credential, { isThere, invocation, out }));
    if ((value ?? "").trim() !== "") {
      await writeSecret(variable, new Secret((value ?? "").trim()), { home, env, signal });
      kept.push(variable);
    } else if (isOptional !== true && !isThere) throw new UserError(`${question} is missing.`, { hint: help });
  }
  return await refusalOf(platform, invocation, out);
}

async function asked(
  { question, help, isSecret }: Platform["credentials"][number],
  { isThere, invocation, out }: { readonly isThere: boolean; readonly invocation: Invocation; readonly out: Output },
): Promise<string | undefined> {
  if (!isTerminal(invocation.io)) return undefined;
  out.line(help);
  using asker = openAsker(invocation.io);
  const words = isThere ? `${question} (one is set; Enter keeps it)` : question;
  return isSecret ? await asker.secret(words) : await asker.text(words);
}

/** Why the platform does not take what is set now; undefined when it does, or cannot be asked. */
async function refusalOf(platform: Platform, invocation: Invocation, out: Output): Promise<string | undefined> {
  const { loaded } = await loadSettings(invocation, { isQuiet: true });
  const settings = { config: loaded.config, env: loaded.environment.variables };
  const verdict = await tried(platform, settings, invocation.io.signal);
  if (verdict.kind === "accepted") out.line(`${platform.label} knows it as ${verdict.name}.`);
  if (verdict.kind === "unknown" && verdict.why !== "") out.note(`It could not be tested now: ${verdict.why}`);
  return verdict.kind === "refused" ? verdict.why : undefined;
}

function nextStep(out: Output): number {
  out.line("Start it: hermes gateway run");
  return exitCodes.ok;
}

/** What a person wants next. */
async function goOn(
  invocation: Invocation,
  out: Output,
  { canServeHere }: { readonly canServeHere: boolean },
): Promise<number> {
  const { gatewayInstall, gatewayRestart } = await import("./control.ts");
  const isRunning = (await runningInstance(homeOf(invocation))) !== undefined;
  using asker = openAsker(invocation.io);
  const bare: Invocation = { ...invocation, args: [], flags: {} };
  const later = { label: "Nothing now", value: () => Promise.resolve(nextStep(out)), detail: "hermes gateway run" };
  if (isRunning) {
    const restart = { label: "Restart the running gateway", value: () => gatewayRestart(bare) };
    return await (await asker.choose("And now?", [restart, later]))();
  }
  const { gatewayRun } = await import("./run.ts");
  const here = { label: "Serve it here", value: () => gatewayRun(bare), detail: "until Ctrl-C" };
  const always = {
    label: "Serve it always",
    value: () => gatewayInstall(bare),
    detail: "as a service of this machine",
  };
  return await (await asker.choose("And now?", [...(canServeHere ? [here] : []), always, later]))();
}

async function chosen(invocation: Invocation): Promise<Platform> {
  let [id] = invocation.args;
  const { config } = (await loadSettings(invocation, { isQuiet: true })).loaded;
  if (id === undefined && isTerminal(invocation.io)) {
    const choices = await listed(config);
    using asker = openAsker(invocation.io);
    id = await asker.choose("Which platform?", choices);
  }
  if (id === undefined)
    throw new UserError("Name the platform: this is not a terminal, so it cannot be asked.", {
      hint: `There are: ${platformIds.join(", ")}`,
    });
  const platform = await loadPlatform(id);
  if (platform !== undefined) return (await platform.variantFor?.(config)) ?? platform;
  throw new UserError(`There is no platform ${id}.`, { hint: `There are: ${platformIds.join(", ")}` });
}

/** All of them, those most people have first, each with what is known of it. */
async function listed(config: Config) {
  const ordered = [...popular, ...platformIds.filter((id) => !popular.includes(id))];
  const platforms = await Promise.all(ordered.map(loadPlatform));
  return platforms
    .filter((platform) => platform !== undefined)
    .map((platform) => ({
      label: platform.label,
      value: platform.id,
      detail: isSetUp(platform, config) ? "set up" : "",
    }));
}
