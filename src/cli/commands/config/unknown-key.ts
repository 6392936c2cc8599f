import { describeSettings } from "#config";
import { UserError } from "#foundation/errors";
import { nearest } from "#foundation/text/text";

/** The error for a key that no setting has; undefined when there is such a setting, or a group of that name. */
export async function unknownKey(key: string): Promise<UserError | undefined> {
  const known = (await describeSettings()).map((setting) => setting.key);
  if (known.some((one) => one === key || one.startsWith(`${key}.`) || fitsPattern(one, key))) return undefined;
  const groups = known.map((one) => one.split(".", 1)[0] ?? "");
  const meant = nearest(key, new Set([...known, ...groups]));
  return new UserError(`There is no setting "${key}".${meant === undefined ? "" : ` Did you mean ${meant}?`}`, {
    code: "config_key_unknown",
    hint: "See all of them with: hermes config show --all",
  });
}

/** `providers.<name>.base_url` stands for any name. */
function fitsPattern(pattern: string, key: string): boolean {
  const wanted = pattern.split(".");
  const input = key.split(".");
  return (
    input.length <= wanted.length &&
    input.every((part, index) => wanted[index] === part || /^(\*|<.*>|\[\])$/.test(wanted[index] ?? ""))
  );
}
