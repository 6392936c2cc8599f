import { Profiles, removeAlias, writeAlias } from "#config";
import { UserError } from "#foundation/errors";
import { isProfileName } from "#foundation/files/paths";
import type { Invocation } from "../../command.ts";
import { argument, flagText, hasFlag } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { aliasDocument, aliasLine } from "./change.ts";

export async function profileAlias(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { env } = invocation.io;
  const name = argument(invocation, 0);
  await new Profiles(env).find(name);
  const alias = flagText(invocation, "name") ?? name;
  // The alias becomes a file name.
  if (!isProfileName(alias))
    throw new UserError(`"${alias}" cannot be the name of a command.`, {
      code: "alias_invalid",
      hint: "Use lower-case letters, digits, - and _.",
    });
  const isRemoval = hasFlag(invocation, "remove");
  const result = isRemoval ? await removeAlias(alias, name, env) : await writeAlias(alias, name, env);
  out.document({ alias: aliasDocument(result) });
  out.line(aliasLine(result));
  return result.kind === "skipped" ? 1 : 0;
}
