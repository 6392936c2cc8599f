import { fieldsOf, findEnvironment } from "#environments";
import type { Invocation } from "../../command.ts";
import { argument } from "../../invocation.ts";
import { Output } from "../../output/output.ts";

/** What an environment is and what can be set about it. */
export async function envDescribe(invocation: Invocation): Promise<number> {
  const { name, about, config } = await findEnvironment(argument(invocation, 0), invocation.io.cwd);
  const out = new Output(invocation);
  const fields = fieldsOf(config);
  out.document({ name, about, config, fields });
  out.line(`${name}: ${about}`);
  out.table(
    [{ title: "field" }, { title: "usual" }, { title: "what", isFlexible: true }],
    fields.map((field) => [field.name, JSON.stringify(field.default), field.description]),
  );
  return 0;
}
