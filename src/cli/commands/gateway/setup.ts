import { writeSecret } from "#config";
import { UserError } from "#foundation/errors";
import { Secret } from "#foundation/secrets/secret";
import { loadPlatform, type Platform, platformIds } from "#gateway";
import { exitCodes, type Invocation } from "../../command.ts";
import { flagText } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { isTerminal, openAsker } from "../../support/ask.ts";
import { homeOf } from "../../support/home.ts";
import { loadSettings } from "../../support/settings.ts";
import { loggedIn, paired } from "./login.ts";

/** `hermes gateway setup`: asks for what a platform needs, or takes it from flags, and keeps it in `.env`. */
export async function gatewaySetup(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const platform = await chosen(invocation);
  const token = flagText(invocation, "token");
  const values: Readonly<Record<string, string | undefined>> = {
    token,
    allowed_users: flagText(invocation, "allowed-users"),
    ...(token === undefined ? await loggedIn(platform, invocation, out) : {}),
  };
  const home = homeOf(invocation);
  const kept: string[] = [];
  const { env } = invocation.io;
  for (const { name, variable, question, help, isSecret, isOptional } of platform.credentials) {
    let value = values[name];
    // The environment has the last word, so there is nothing to ask.
    if (value === undefined && (env[variable] ?? "") !== "") continue;
    if (value === undefined && isTerminal(invocation.io)) {
      out.line(help);
      using asker = openAsker(invocation.io);
      value = isSecret ? await asker.secret(question) : await asker.text(question);
    }
    if ((value ?? "").trim() !== "") {
      await writeSecret(variable, new Secret((value ?? "").trim()), {
        home,
        env,
        signal: invocation.io.signal,
      });
      kept.push(variable);
    } else if (isOptional !== true) throw new UserError(`${question} is missing.`, { hint: help });
  }
  await paired(platform, invocation, out);
  out.document({ platform: platform.id, kept });
  out.line(`${platform.label} is set up. Serve it: hermes gateway run`);
  return exitCodes.ok;
}

async function chosen(invocation: Invocation): Promise<Platform> {
  let [id] = invocation.args;
  if (id === undefined && platformIds.length > 1 && isTerminal(invocation.io)) {
    using asker = openAsker(invocation.io);
    id = await asker.choose(
      "Which platform?",
      platformIds.map((one) => ({ label: one, value: one })),
    );
  }
  const platform = await loadPlatform(id ?? platformIds[0] ?? "");
  if (platform?.variantFor !== undefined)
    return await platform.variantFor((await loadSettings(invocation, { isQuiet: true })).loaded.config);
  if (platform !== undefined) return platform;
  throw new UserError(`There is no platform ${id}.`, { hint: `There are: ${platformIds.join(", ")}` });
}
