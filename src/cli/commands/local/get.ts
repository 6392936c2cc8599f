import { UserError } from "#foundation/errors";
import type { HermesHome } from "#foundation/files/paths";
import { byteSize, shortWindow } from "#foundation/text/figures";
import { nearest } from "#foundation/text/text";
import { type CatalogueModel, catalogue, type LocalModelFile, ModelLibrary, pullModel } from "#local-model";
import type { Invocation } from "../../command.ts";
import { argument, flagText, hasFlag } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { isTerminal, openAsker } from "../../support/ask.ts";
import { homeOf } from "../../support/home.ts";
import { loadSettings } from "../../support/settings.ts";
import { progressLine } from "./progress.ts";

export function libraryOf(home: HermesHome): ModelLibrary {
  return new ModelLibrary(home.at("models"));
}

export async function localAdd(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const model = await libraryOf(homeOf(invocation)).add(argument(invocation, 0), flagText(invocation, "name"));
  out.document(documentOf(model));
  out.line(
    `${model.id}: ${model.facts.name ?? model.facts.architecture}, ${byteSize(model.facts.sizeBytes)}, a window of ${shortWindow(model.facts.contextLength)} tokens`,
  );
  out.line(`Use it with: hermes local use ${model.id}`);
  return 0;
}

export async function localPull(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const model = await pull(invocation, catalogueModel(argument(invocation, 0)));
  out.document(documentOf(model));
  out.line(`${model.id} is on this machine. Use it with: hermes local use ${model.id}`);
  return 0;
}

/** With a bar at a terminal, and a line for every tenth elsewhere. */
export async function pull(invocation: Invocation, model: CatalogueModel): Promise<LocalModelFile> {
  const home = homeOf(invocation);
  const { loaded } = await loadSettings(invocation, { isQuiet: true });
  const mirror = flagText(invocation, "mirror") ?? loaded.config.local.mirror;
  const progress = progressLine(invocation, model.label);
  try {
    return await pullModel(model, libraryOf(home), {
      mirror,
      signal: invocation.io.signal,
      onProgress: progress.show,
    });
  } finally {
    progress.end();
  }
}

export async function localRemove(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const id = argument(invocation, 0);
  if (!hasFlag(invocation, "yes") && isTerminal(invocation.io)) {
    using asker = openAsker(invocation.io);
    if (!(await asker.confirm(`Delete the model ${id}?`, false))) return 1;
  }
  await libraryOf(homeOf(invocation)).remove(id);
  out.document({ removed: id });
  out.line(`${id} is deleted.`);
  return 0;
}

export function catalogueModel(name: string): CatalogueModel {
  const found = catalogue.find(({ id }) => id === name.toLowerCase());
  if (found !== undefined) return found;
  const ids = catalogue.map(({ id }) => id);
  const meant = nearest(name, ids);
  throw new UserError(`The catalogue has no model "${name}".${meant === undefined ? "" : ` Did you mean ${meant}?`}`, {
    code: "model_not_found",
    hint: `It has ${ids.join(", ")}. A file of your own: hermes local add <file.gguf>`,
  });
}

export function documentOf({ id, path, facts }: LocalModelFile): Readonly<Record<string, unknown>> {
  return {
    id,
    file: path,
    size_bytes: facts.sizeBytes,
    context_length: facts.contextLength,
    architecture: facts.architecture,
    license: facts.license ?? null,
  };
}
