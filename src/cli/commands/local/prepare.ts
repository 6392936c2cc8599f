import { UserError } from "#foundation/errors";
import { byteSize } from "#foundation/text/figures";
import { engineBytes, hasEngine, installEngine } from "#local-model";
import type { Invocation } from "../../command.ts";
import { Output } from "../../output/output.ts";
import { homeOf } from "../../support/home.ts";
import { catalogueModel, libraryOf, pull } from "./get.ts";

/** The file and the engine, each fetched where it is missing. The name of the model. */
export async function prepare(invocation: Invocation, wanted: string | undefined): Promise<string> {
  const library = libraryOf(homeOf(invocation));
  const { models, broken } = await library.list();
  const id = wanted ?? onlyOne(models.map((model) => model.id));
  if (id === undefined) {
    throw new UserError(
      models.length === 0 ? "There is no model on this machine yet." : "There are several models on this machine.",
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

async function ensureEngine(invocation: Invocation): Promise<void> {
  const home = homeOf(invocation);
  if (hasEngine(home)) return;
  const out = new Output(invocation);
  out.note(`Installing the engine (${byteSize(engineBytes)}, once) …`);
  await installEngine(home, invocation.io.signal);
}

function onlyOne(ids: readonly string[]): string | undefined {
  return ids.length === 1 ? ids[0] : undefined;
}
