import { UserError } from "#foundation/errors";
import { byteSize } from "#foundation/text/figures";
import { engineBytes, hasEngine, installEngine } from "#local-model";
import type { Invocation } from "../../command.ts";
import { argument } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { homeOf } from "../../support/home.ts";
import { tryIt } from "../model/choose.ts";
import { saveChoice } from "../model/save.ts";
import { catalogueModel, libraryOf, pull } from "./get.ts";

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

/** The file and the engine, each fetched where it is missing. The name of the model. */
export async function prepare(invocation: Invocation, wanted: string | undefined): Promise<string> {
  const library = libraryOf(homeOf(invocation));
  const { models, broken } = await library.list();
  const id = wanted ?? onlyOne(models.map((model) => model.id));
  if (id === undefined) {
    throw new UserError(
      models.length === 0 ? "There is no model on this machine yet." : "Several models are on this machine.",
      {
        code: "model_not_found",
        hint: `Name one: hermes local use <model>. See: hermes local list`,
      },
    );
  }
  const isHere = models.some((model) => model.id === id);
  // What is wrong with a file is said before anything else is fetched.
  if (!isHere && broken.some((model) => model.id === id)) await library.find(id);
  if (!isHere) await pull(invocation, catalogueModel(id));
  await ensureEngine(invocation);
  return id;
}

export async function ensureEngine(invocation: Invocation): Promise<void> {
  const home = homeOf(invocation);
  if (hasEngine(home)) return;
  const out = new Output(invocation);
  out.note(`Installing the engine (${byteSize(engineBytes)}, once) …`);
  await installEngine(home, invocation.io.signal);
}

function onlyOne(ids: readonly string[]): string | undefined {
  return ids.length === 1 ? ids[0] : undefined;
}
