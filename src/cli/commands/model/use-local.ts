import type { Invocation } from "../../command.ts";
import { Output } from "../../output/output.ts";
import { prepare } from "../local/prepare.ts";
import { tryIt } from "./choose.ts";
import { saveChoice } from "./save.ts";

/** Everything a model of this machine needs, then the choice is saved and tried. */
export async function localUse(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const model = await prepare(invocation, invocation.args[0]);
  const file = await saveChoice(invocation, { provider: "local", model });
  out.document({ provider: "local", model, file });
  out.line(`local: ${model}, saved in ${file}`);
  return out.isJson ? 0 : await tryIt(invocation, out);
}
