import { never } from "#foundation/lifecycle/abort";
import type { WorkContext } from "./context.ts";
import type { HeavyWork, HeavyWorkOptions } from "./heavy-work.ts";
import type { WorkInput, WorkName, WorkOutput } from "./table.ts";

/** Work done where it is asked for: in memory, inside a transaction, and on PostgreSQL, which is another process. */
export class InlineWork implements HeavyWork {
  readonly #context: Omit<WorkContext, "signal">;

  constructor(context: Omit<WorkContext, "signal">) {
    this.#context = context;
  }

  async run<N extends WorkName>(name: N, input: WorkInput<N>, options: HeavyWorkOptions): Promise<WorkOutput<N>> {
    const signal = options.signal ?? never;
    signal.throwIfAborted();
    return await perform({ ...this.#context, signal }, name, input);
  }
}

/** Calls the named work; the table's type guarantees that input and output belong to the name. */
export async function perform<N extends WorkName>(
  context: WorkContext,
  name: N,
  input: WorkInput<N>,
): Promise<WorkOutput<N>> {
  const { workTable } = await import("./table.ts");
  const work = workTable[name] as (context: WorkContext, input: WorkInput<N>) => Promise<WorkOutput<N>>;
  return await work(context, input);
}
