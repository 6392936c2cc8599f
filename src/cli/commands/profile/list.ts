import { existsSync } from "node:fs";
import { loadConfig, type ProfileInfo, Profiles } from "#config";
import type { Invocation } from "../../command.ts";
import { Output } from "../../output/output.ts";
import { homeOf } from "../../support/home.ts";

interface Facts {
  readonly name: string;
  readonly home: string;
  readonly is_active: boolean;
  readonly model: string | null;
  readonly provider: string | null;
  readonly has_credentials: boolean;
}

export async function profileList(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const profiles = await new Profiles(invocation.io.env).list();
  const facts = await Promise.all(profiles.map((one) => factsOf(one, invocation)));
  out.document({ profiles: facts });
  out.table(
    [{ title: "" }, { title: "Profile" }, { title: "Model", isFlexible: true }, { title: "Home", isFlexible: true }],
    facts.map((one) => [one.is_active ? "*" : "", one.name, one.model ?? "-", one.home]),
  );
  return 0;
}

export async function profileShow(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const profiles = new Profiles(invocation.io.env);
  const name = invocation.args[0] ?? homeOf(invocation).profileName;
  const home = await profiles.find(name);
  const facts = await factsOf({ name, home, isActive: (await profiles.active()) === name }, invocation);
  out.document({ profile: facts });
  out.line(`Profile      ${facts.name}${facts.is_active ? " (in use)" : ""}`);
  out.line(`Home         ${facts.home}`);
  out.line(`Model        ${facts.model ?? "not chosen"}`);
  out.line(`Provider     ${facts.provider ?? "auto"}`);
  out.line(`Credentials  ${facts.has_credentials ? "yes" : "none"}`);
  return 0;
}

async function factsOf({ name, home, isActive }: ProfileInfo, { io }: Invocation): Promise<Facts> {
  const { config } = await loadConfig({ home, env: io.env, rememberGood: false });
  const orNull = (text: string | undefined): string | null => (text === undefined || text === "" ? null : text);
  return {
    name,
    home: home.root,
    is_active: isActive,
    model: orNull(config.model.default),
    provider: orNull(config.model.provider),
    has_credentials: existsSync(home.envFile) || existsSync(home.authFile),
  };
}
