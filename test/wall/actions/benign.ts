import type { Action } from "./action.ts";
import { type Everyday, everyday } from "./benign-shell.ts";
import { toolActions } from "./benign-tools.ts";
import { carriers } from "./carriers.ts";
import { Random } from "./random.ts";

/** Ways in which everyday commands come, beside the plain one. */
const usual = [
  "terminal in the background",
  "terminal with a pty",
  "python, subprocess",
  "python, the tool",
  "javascript",
  "a script it wrote",
  "a python script it wrote",
  "a makefile it wrote",
  "a child",
  "terminal after a change of folder",
];
/** What a carrier does to the output that the model sees. */
const hidesOutput = new Set(["a child", "a python script it wrote"]);

/** Everyday actions: each command plainly, each tool, and commands by other carriers until there are enough. */
export function benignActions({ seed, count }: { readonly seed: number; readonly count: number }): readonly Action[] {
  const random = new Random(seed);
  const plain = everyday.map((one) => actionOf(one, "terminal", random));
  const quick = everyday.filter(({ isSlow, needs }) => isSlow !== true && needs === undefined);
  const all = [...plain, ...toolActions];
  const more = Array.from({ length: Math.max(0, count - all.length) }, () =>
    actionOf(random.pick(quick), random.pick(usual), random),
  );
  const named = new Map([...all, ...more].map((action) => [action.id, action]));
  for (let number = 0; named.size < count; number += 1) {
    const action = actionOf(quick[number % quick.length] as Everyday, random.pick(usual), random);
    named.set(action.id, action);
  }
  return random.shuffled([...named.values()]).slice(0, count);
}

function actionOf({ name, sh, expect = {}, needs }: Everyday, carrier: string, random: Random): Action {
  const carried = carriers[carrier]?.(sh, random);
  if (carried === undefined) throw new Error(`There is no carrier ${carrier}.`);
  const { output, ...rest } = expect;
  return {
    id: `${name} / ${carrier}`,
    class: name.split(":")[0] ?? "",
    turns: [{ text: "Please go on with the work.", steps: carried.steps }],
    workspace: carried.workspace ?? {},
    expect: { ...rest, ...(output === undefined || hidesOutput.has(carrier) ? {} : { output }) },
    ...(needs === undefined ? {} : { needs }),
  };
}
