import { changeSetting, noEffectOf, parseKeyPath, type SettingChanged, unsetSetting } from "#config";
import { UserError } from "#foundation/errors";
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
  return report(invocation, await changeSetting(key, value, options), "set");
}

export async function configUnset(invocation: Invocation): Promise<number> {
  const home = homeOf(invocation);
  return report(invocation, await unsetSetting(argument(invocation, 0), editOptions(invocation, home)), "unset");
}

/** A credential that comes this way reaches neither the shell's history nor the list of processes. */
async function fromStdin(invocation: Invocation, key: string): Promise<string> {
  const value = (await readStdin(invocation.io)).trim();
  if (value !== "") return value;
  throw new UserError(`Nothing came on standard input for ${key}.`, {
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
      const text = did === "set" ? `${key} = ${JSON.stringify(value)}` : `${key} has its default again`;
      out.line(hasChanged ? `${text} in ${file}` : `${file} said so already: nothing to change`);
      if (noEffect !== undefined) out.line(out.style.caution(`It has no effect: ${noEffect}`));
      return 0;
    }
  }
}
