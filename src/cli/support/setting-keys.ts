import type { SettingInfo } from "#config";

/**
 * Keys that can be asked for: a key below a name or a number of the person's own (`providers.<name>.base_url`,
 * `custom_providers[].name`) stands for the group it is in.
 */
export function concreteKeys(infos: readonly SettingInfo[]): ReadonlyMap<string, SettingInfo> {
  const keys = new Map<string, SettingInfo>();
  for (const info of infos) {
    const [fixed = ""] = info.key.split(/\.?[<[*]/, 1);
    if (fixed !== "" && !keys.has(fixed)) keys.set(fixed, info);
  }
  return keys;
}
