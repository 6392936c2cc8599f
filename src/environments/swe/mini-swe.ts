import { appendFile, readFile } from "node:fs/promises";
import { embedJson, localTimestamp, type StartingModel, toShareGpt } from "#agent";
import { type Message, textOf } from "#conversation";
import { describe } from "#foundation/errors";
import { linkSignals } from "#foundation/lifecycle/abort";
import { toExact } from "#foundation/text/exact-json-text";
import { isRecord, parseJson } from "#foundation/text/json";
import type { Models } from "#model";
import type { TerminalChoice } from "#tools";
import type { Rollouts } from "../rollout/open-rollouts.ts";
import { openRollout } from "../rollout/rollout.ts";

export interface SweOptions {
  readonly rollouts: Rollouts;
  readonly model: StartingModel;
  readonly terminal: TerminalChoice;
  readonly maxSteps: number;
  /** Each task is on disk as soon as it has ended. */
  readonly outputFile: string;
  onTask(line: string): void;
}

export interface SweOutcome {
  readonly tasks: number;
  readonly completed: number;
}

/** A command that prints this ends its task: the work is done, whatever the model would say next. */
const finalMark = "MINI_SWE_AGENT_FINAL_OUTPUT";

const guidance =
  "You solve a programming task with the terminal, your only tool. Look at the code first, change it, and check your change by running it. " +
  `When everything is done, run: echo ${finalMark}`;

/** Lines are objects with `prompt` or `task`; a line that is none is the prompt itself. */
export async function readSweTasks(file: string): Promise<readonly string[]> {
  const lines = (await readFile(file, "utf8")).split("\n").map((line) => line.trim());
  return lines.flatMap((line) => {
    if (line === "") return [];
    const parsed = parseJson(line);
    if (!parsed.ok || !isRecord(parsed.value)) return [line];
    const prompt = parsed.value["prompt"] ?? parsed.value["task"];
    return typeof prompt === "string" && prompt !== "" ? [prompt] : [];
  });
}

/** Works on tasks one after the other, with the terminal alone. */
export async function runSweTasks(
  tasks: readonly string[],
  options: SweOptions,
  signal: AbortSignal,
): Promise<SweOutcome> {
  const { clock } = options.rollouts.host.machine;
  let completed = 0;
  for (const [index, task] of tasks.entries()) {
    signal.throwIfAborted();
    const timestamp = localTimestamp(new Date(clock.now()));
    const line = await solve(task, { ...options, index, timestamp }, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      return { conversations: [], completed: false, api_calls: 0, error: describe(error), metadata: { timestamp } };
    });
    if (line.completed) completed += 1;
    await appendFile(options.outputFile, `${embedJson(toExact(line))}\n`);
    options.onTask(`${index + 1}/${tasks.length} ${line.completed ? "completed" : "not completed"}`);
  }
  return { tasks: tasks.length, completed };
}

async function solve(
  task: string,
  options: SweOptions & { readonly index: number; readonly timestamp: string },
  signal: AbortSignal,
) {
  const { rollouts, model, terminal, index, timestamp } = options;
  const done = new AbortController();
  const stop = linkSignals(signal, done.signal);
  await using rollout = await openRollout(
    rollouts,
    {
      taskId: `swe_${process.pid}_${index}`,
      model,
      toolsets: ["terminal"],
      maxSteps: options.maxSteps,
      endsSilently: true,
      request: {},
      terminal,
      systemPrompt: guidance,
      models: endingWith(rollouts.host.models, () => done.abort()),
    },
    stop,
  );
  const result = await rollout.run(task, stop);
  signal.throwIfAborted();
  if (result.failed && !done.signal.aborted) throw new Error(result.error ?? result.exitReason);
  return {
    conversations: toShareGpt({
      messages: result.messages,
      query: task,
      tools: rollout.tools,
      log: rollouts.host.machine.logger,
    }),
    completed: done.signal.aborted || result.exitReason === "text_response",
    // The call that the mark forestalled was never made.
    api_calls: result.apiCalls - (done.signal.aborted ? 1 : 0),
    metadata: { model: model.target.model, env_type: terminal.kind, timestamp },
  };
}

/** The models, and a look at what they are about to be asked: after the mark there is nothing to ask. */
function endingWith(models: Models, end: () => void): Models {
  return {
    ...models,
    stream: (request, signal) => {
      if (isFinal(request.messages)) end();
      return models.stream(request, signal);
    },
  };
}

function isFinal(messages: readonly Message[]): boolean {
  const since = messages.slice(messages.findLastIndex(({ role }) => role === "assistant") + 1);
  return since.some((message) => message.role === "tool" && textOf(message.content).includes(finalMark));
}
