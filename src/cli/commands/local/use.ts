import type { Invocation } from "../../command.ts";
import { argument } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { tryIt } from "../model/choose.ts";
import { saveChoice } from "../model/save.ts";
import { prepare } from "./prepare.ts";

/** Everything a model of this machine needs, then the choice is saved and tried. */
export async function localUse(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const model = await prepare(invocation, invocation.args[0]);
  const file = await saveChoice(invocation, { provider: "local", model });
  out.document({ provider: "local", model, file });
  out.line(`local: ${model}, saved in ${file}`);
  return out.isJson ? 0 : await tryIt(invocation, out);
}

/** The chat, with this model and nothing saved. */
export async function localRun(invocation: Invocation): Promise<number> {
  const model = await prepare(invocation, argument(invocation, 0));
  const { runChat } = await import("../../chat/chat.ts");
  return await runChat({
    ...invocation,
    args: invocation.args.slice(1),
    flags: { ...invocation.flags, provider: "local", model },
  });
}
