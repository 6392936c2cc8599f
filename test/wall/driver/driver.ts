import { createInterface } from "node:readline";
import type { Action, Mode } from "../actions/action.ts";
import { type BenchRequest, runBench } from "./bench.ts";
import { World } from "./world.ts";

/** The program inside the cage: lines of JSON in, one line of JSON out for each. */
type Message = { readonly begin: Mode } | { readonly run: Action } | { readonly bench: BenchRequest };

let world: World | undefined;
for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line) as Message;
  process.stdout.write(`${JSON.stringify(await answer(message))}\n`);
}
process.exit(0);

async function answer(message: Message): Promise<unknown> {
  if ("bench" in message) return await runBench(message.bench);
  if ("begin" in message) {
    world = await World.open(message.begin);
    return { ready: true };
  }
  if (world === undefined) throw new Error("The world has not begun.");
  return await world.run(message.run);
}
