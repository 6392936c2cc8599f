import { editConfig, type SettingChange } from "#config";
import { UserError } from "#foundation/errors";
import type { Invocation } from "../../command.ts";
import { argument } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { type OpenPlugins, openPlugins } from "../../support/plugins.ts";
import { editOptions } from "../../support/settings.ts";

export async function pluginsEnable(invocation: Invocation): Promise<number> {
  return await change(invocation, true);
}

export async function pluginsDisable(invocation: Invocation): Promise<number> {
  return await change(invocation, false);
}

async function change(invocation: Invocation, isOn: boolean): Promise<number> {
  const out = new Output(invocation);
  const plugins = await openPlugins(invocation, { isLoaded: false });
  const key = argument(invocation, 0);
  const entry = plugins.host.list.find((one) => one.key === key);
  if (entry === undefined)
    throw new UserError(`There is no plugin "${key}".`, {
      code: "plugin_unknown",
      hint: "See them with: hermes plugins list",
    });
  if (isOn && entry.state.kind === "recorded")
    throw new UserError(`${key} is chosen rather than enabled: only one of its kind can be in use.`, {
      code: "plugin_exclusive",
      hint: `For a memory provider: hermes memory setup ${key}`,
    });
  if (isOn && entry.permissions.length > 0) out.note(`${key} says it needs: ${entry.permissions.join(", ")}`);
  await changeChoice(invocation, plugins, { key, isOn });
  out.document({ plugin: key, enabled: isOn });
  out.line(`${key} is ${isOn ? "on" : "off"}, starting with the next start.`);
  return 0;
}

/** Puts a name on one list and off the other; undefined takes it off both. */
export async function changeChoice(
  invocation: Invocation,
  { loaded, home }: OpenPlugins,
  { key, isOn }: { readonly key: string; readonly isOn: boolean | undefined },
): Promise<void> {
  const { enabled, disabled } = loaded.config.plugins;
  const without = (list: readonly string[]): readonly string[] => list.filter((one) => one !== key);
  const wanted = {
    enabled: isOn === true ? [...without(enabled), key] : without(enabled),
    disabled: isOn === false ? [...without(disabled), key] : without(disabled),
  };
  const changes: SettingChange[] = [];
  if (wanted.enabled.join() !== enabled.join())
    changes.push({ kind: "set", path: ["plugins", "enabled"], value: wanted.enabled });
  if (wanted.disabled.join() !== disabled.join())
    changes.push({ kind: "set", path: ["plugins", "disabled"], value: wanted.disabled });
  if (changes.length > 0) await editConfig(changes, editOptions(invocation, home));
}
