import type { Invocation } from "../../command.ts";
import type { Output } from "../../output/output.ts";
import { openAsker } from "../../support/ask.ts";
import { openModelAccess } from "../../support/models.ts";
import { tryIt } from "./choose.ts";
import { pickOrLeave } from "./pick.ts";
import { rememberEndpoint } from "./remember-endpoint.ts";
import { saveChoice } from "./save.ts";

/**
 * Provider, credential and model: asked for, saved and tried, until one works or the person leaves it at that. The same
 * questions for `hermes setup` and `/connect`. What was chosen, as `provider:model`; undefined when nothing was.
 */
export async function connectModel(invocation: Invocation, out: Output): Promise<string | undefined> {
  for (;;) {
    await using parts = await openModelAccess(invocation, { isQuiet: true });
    const picked = await pickOrLeave(invocation, parts);
    if (picked === undefined) {
      out.line("Cancelled; the model is unchanged.");
      return undefined;
    }
    const { provider, model, changes } = await rememberEndpoint(invocation, picked);
    const file = await saveChoice(invocation, { provider, model }, changes);
    out.line(`${provider}: ${model}, saved in ${file}`);
    if ((await tryIt(invocation, out)) === 0) return `${provider}:${model}`;
    using asker = openAsker(invocation.io);
    if (!(await asker.confirm("Choose again?", true))) return `${provider}:${model}`;
  }
}
