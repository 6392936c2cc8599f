import type { CommandIo } from "../command.ts";
import { keyQuestions, openAsker, readsKeys } from "./ask.ts";

export interface Switchable {
  readonly name: string;
  readonly detail: string;
  readonly isOn: boolean;
}

/** A checklist: Space switches and Enter saves; without keys, numbers or names switch and an empty line takes what is shown. Undefined when nothing was switched. */
export async function chooseMany(
  io: CommandIo,
  title: string,
  items: readonly Switchable[],
): Promise<readonly string[] | undefined> {
  if (readsKeys(io)) return chooseByKeys(io, title, items);
  using asker = openAsker(io);
  const on = new Set(items.filter((item) => item.isOn).map((item) => item.name));
  const before = [...on].sort().join("\n");
  for (;;) {
    io.stdout.write(`${title}\n`);
    for (const [index, { name, detail }] of items.entries()) {
      io.stdout.write(`  ${String(index + 1).padStart(3)}  [${on.has(name) ? "x" : " "}] ${name}  ${detail}\n`);
    }
    const answer = await asker.text("Numbers or names to toggle; empty to finish");
    if (answer === "") break;
    for (const word of answer.split(/[\s,]+/)) {
      const item = /^\d+$/.test(word) ? items[Number(word) - 1] : items.find((one) => one.name === word);
      if (item === undefined) io.stdout.write(`There is no "${word}".\n`);
      else if (!on.delete(item.name)) on.add(item.name);
    }
  }
  return [...on].sort().join("\n") === before
    ? undefined
    : items.map(({ name }) => name).filter((name) => on.has(name));
}

async function chooseByKeys(io: CommandIo, title: string, items: readonly Switchable[]) {
  const before = new Set(items.flatMap(({ isOn }, index) => (isOn ? [index] : [])));
  const list = items.map(({ name, detail }) => ({ label: name, detail }));
  const on = await (await keyQuestions(io)).pickMany(title, list, before);
  if (on === undefined || (on.length === before.size && on.every((index) => before.has(index)))) return undefined;
  return on.flatMap((index) => items[index]?.name ?? []);
}
