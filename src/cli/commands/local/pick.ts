import { byteSize } from "#foundation/text/figures";
import { byFit, catalogue, suggestedModel } from "#local-model";
import type { Invocation } from "../../command.ts";
import { type Choice, openAsker } from "../../support/ask.ts";
import { homeOf } from "../../support/home.ts";
import { libraryOf } from "./get.ts";
import { usableMemory } from "./offer.ts";
import { prepare } from "./prepare.ts";

/** One that is here, or one of the catalogue, which is then fetched with everything it needs. */
export async function pickServed(
  invocation: Invocation,
): Promise<{ readonly provider: string; readonly model: string } | undefined> {
  const { models } = await libraryOf(homeOf(invocation)).list();
  const memory = usableMemory();
  const here = models.map(
    ({ id, facts }): Choice<string> => ({ label: id, detail: `here, ${byteSize(facts.sizeBytes)}`, value: id }),
  );
  const others = byFit(catalogue, memory)
    .filter(({ id }) => !models.some((model) => model.id === id))
    .map((model): Choice<string> => {
      const fits = model.memoryBytes <= memory ? "" : ` (needs ${byteSize(model.memoryBytes)} of memory)`;
      return { label: model.id, detail: `${byteSize(model.sizeBytes)}${fits}: ${model.goodFor}`, value: model.id };
    });
  const suggested = suggestedModel(memory)?.id;
  const choices = [...here, ...others, { label: "Back out", value: "" }];
  // What is here comes first; without anything, the cursor stands on what suits most people.
  const first = here.length > 0 ? 0 : choices.findIndex(({ value }) => value === suggested);
  const model = await choose(invocation, choices, Math.max(0, first));
  return model === "" ? undefined : { provider: "local", model: await prepare(invocation, model) };
}

async function choose({ io }: Invocation, choices: readonly Choice<string>[], first: number): Promise<string> {
  using asker = openAsker(io);
  return await asker.choose("Which model?", choices, first);
}
