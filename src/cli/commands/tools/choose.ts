import { UserError } from "#foundation/errors";
import { plural } from "#foundation/text/figures";
import type { Invocation } from "../../command.ts";
import { hasFlag } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { isTerminal } from "../../support/ask.ts";
import { chooseMany } from "../../support/choose-many.ts";
import { toolsList, toolsSummary } from "./list.ts";
import { saveToolsets } from "./switch.ts";
import { surfaceTools } from "./toolsets.ts";

/** `hermes tools`: a checklist at a terminal. */
export async function tools(invocation: Invocation): Promise<number> {
  if (hasFlag(invocation, "summary")) return await toolsSummary(invocation);
  if (invocation.global.isJson) return await toolsList(invocation);
  if (!isTerminal(invocation.io)) {
    throw new UserError("hermes tools needs a terminal.", {
      code: "terminal_needed",
      hint: "Without one: hermes tools list, hermes tools enable <name>, hermes tools disable <name>",
    });
  }
  const out = new Output(invocation);
  const state = await surfaceTools(invocation);
  const items = state.all
    .filter((name) => !state.empty.includes(name))
    .map((name) => ({ name, detail: state.toolsets.describe(name), isOn: state.on.includes(name) }));
  const wanted = await chooseMany(invocation.io, `Toolsets of ${state.surface}`, items);
  if (wanted === undefined) {
    out.line("Nothing was changed.");
    return 0;
  }
  await saveToolsets(invocation, state, [...wanted, ...state.on.filter((name) => state.empty.includes(name))]);
  out.line(`On for ${state.surface}: ${plural(wanted.length, "toolset")}. This takes effect with the next session.`);
  return 0;
}
