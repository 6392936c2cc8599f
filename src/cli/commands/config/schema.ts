import { configJsonSchema } from "#config";
import type { Invocation } from "../../command.ts";
import { Output } from "../../output/output.ts";

/** The schema is the document itself, with or without `--json`: editors read it as it is. */
export async function configSchema(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  await out.raw(`${JSON.stringify(await configJsonSchema(), undefined, 2)}\n`);
  return 0;
}
