import { readdir } from "node:fs/promises";
import { changeSetting, noEffectOf, parseKeyPath, type SettingChanged, unsetSetting } from "#config";
import { UserError } from "#foundation/errors";
import type { HermesHome } from "#foundation/files/paths";
import type { Invocation } from "../../command.ts";
import { argument, hasFlag } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { homeOf } from "../../support/home.ts";
import { editOptions } from "../../support/settings.ts";
import { readStdin } from "../../support/stdin.ts";

export async function configSet(invocation: Invocation): Promise<number> {
  const home = homeOf(invocation);
  const key = argument(invocation, 0);
  const written = invocation.args.slice(1).join(" ");
  const value = written === "-" ? await fromStdin(invocation, key) : written;
  const options = { ...editOptions(invocation, home), force: hasFlag(invocation, "force") };
  if (key === "display.skin" && !options.force) await checkSkin(value, home);
  return report(invocation, await changeSetting(key, value, options), "set");
}

export async function configUnset(invocation: Invocation): Promise<number> {
  const home = homeOf(invocation);
  return report(invocation, await unsetSetting(argument(invocation, 0), editOptions(invocation, home)), "unset");
}

/** A name nobody has a skin for would be found out only when the next chat opens. */
async function checkSkin(name: string, home: HermesHome): Promise<void> {
  const { builtInSkinNames } = await import("#session");
  const own = await readdir(home.skins).catch(() => []);
  const names = [...builtInSkinNames, ...own.flatMap((file) => /^(.+)\.yaml$/.exec(file)?.[1] ?? [])];
  if (names.includes(name)) return;
  throw new UserError(`There is no skin "${name}".`, {
    code: "skin_unknown",
    hint: `Skins: ${names.join(", ")}. Your own: ${home.skins}/<name>.yaml`,
  });
}

/** A credential that comes this way reaches neither the shell's history nor the list of processes. */
async function fromStdin(invocation: Invocation, key: string): Promise<string> {
  const value = (await readStdin(invocation.io)).trim();
  if (value !== "") return value;
  throw new UserError(`Nothing arrived on standard input for ${key}.`, {
    code: "value_missing",
    hint: "Pipe the value in.",
  });
}

async function report(invocation: Invocation, changed: SettingChanged, did: "set" | "unset"): Promise<number> {
  const out = new Output(invocation);
  switch (changed.kind) {
    case "secret":
      out.document({ kind: "secret", name: changed.name, file: changed.file });
      out.line(`${did === "set" ? "Set" : "Removed"} ${changed.name} in ${changed.file}`);
      return 0;
    case "setting": {
      const { key, value, file, hasChanged } = changed;
      const noEffect = did === "set" ? await noEffectOf(parseKeyPath(key)) : undefined;
      const document = { kind: "setting", key, value: value ?? null, file, has_changed: hasChanged };
      out.document(noEffect === undefined ? document : { ...document, no_effect: noEffect });
      const text = did === "set" ? `${key} = ${JSON.stringify(value)}` : `${key} has its default value again`;
      out.line(
        hasChanged
          ? `${text} in ${file}`
          : `Nothing to change: ${did === "set" ? `${text} already` : `${key} is not set`} in ${file}`,
      );
      if (noEffect !== undefined) out.line(out.style.caution(`It has no effect: ${noEffect}`));
      return 0;
    }
  }
}
