import { explain, parseKeyPath, valueAt } from "#config";
import { UserError } from "#foundation/errors";
import type { Invocation } from "../../command.ts";
import { argument } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { loadSettings } from "../../support/settings.ts";
import { unknownKey } from "./unknown-key.ts";

/** Prints the value and nothing else, so that scripts can use it. */
export async function configGet(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const key = argument(invocation, 0);
  const { loaded } = await loadSettings(invocation);
  const { value } = explain(loaded, key);
  if (value === undefined) {
    const known = await unknownKey(key);
    if (known !== undefined) throw known;
    if (valueAt(loaded.config, parseKeyPath(key)) === undefined)
      throw new UserError(`${key} is not set.`, {
        code: "config_not_set",
        hint: `Set it with: hermes config set ${key} <value>`,
      });
  }
  out.document({ key, value });
  out.line(typeof value === "string" ? value : JSON.stringify(value));
  return 0;
}
