import type { Invocation } from "../command.ts";
import { prepare } from "../commands/local/prepare.ts";
import { argument } from "../invocation.ts";
import { runChat } from "./chat.ts";

/** The chat with a model of this machine, and nothing saved. */
export async function localRun(invocation: Invocation): Promise<number> {
  const model = await prepare(invocation, argument(invocation, 0));
  return await runChat({
    ...invocation,
    args: invocation.args.slice(1),
    flags: { ...invocation.flags, provider: "local", model },
  });
}
