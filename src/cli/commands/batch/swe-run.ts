import path from "node:path";
import { readSweTasks, runSweTasks } from "#environments";
import { exitCodes, type Invocation } from "../../command.ts";
import { flagNumber, flagText } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { openRolloutsFor, wantedModel } from "../../support/rollouts.ts";
import { usageError } from "../../usage-error.ts";

const kinds = ["local", "docker", "modal", "ssh"] as const;

/** Works on programming tasks with the terminal alone, and keeps what was said. */
export async function sweRun(invocation: Invocation): Promise<number> {
  const { io } = invocation;
  const out = new Output(invocation);
  const task = flagText(invocation, "task");
  const file = flagText(invocation, "prompts-file");
  if ((task === undefined) === (file === undefined))
    throw usageError("hermes swe-run needs --task or --prompts-file, but not both.", "See: hermes swe-run --help");
  const tasks = task === undefined ? await readSweTasks(path.resolve(io.cwd, file ?? "")) : [task];
  const kind = kinds.find((one) => one === (flagText(invocation, "env") ?? "local")) ?? "local";
  await using rollouts = await openRolloutsFor(invocation, [
    ["checkpoints.enabled", false],
    ["compression.enabled", false],
    ["terminal.backend", kind],
    ["terminal.timeout", flagNumber(invocation, "timeout", { usual: 60, max: 86_400 })],
  ]);
  const outputFile = path.resolve(io.cwd, flagText(invocation, "output-file") ?? "swe-runner-test1.jsonl");
  const outcome = await runSweTasks(
    tasks,
    {
      rollouts,
      model: await rollouts.chooseModel(wantedModel(invocation), io.signal),
      terminal: {
        kind,
        image: flagText(invocation, "image") ?? "python:3.11-slim",
        // On this machine a task has a folder of its own.
        cwd: flagText(invocation, "cwd") ?? (kind === "local" ? undefined : "/tmp"),
      },
      maxSteps: flagNumber(invocation, "max-iterations", { usual: 15 }),
      outputFile,
      onTask: (line) => out.note(line),
    },
    io.signal,
  );
  out.document({ ...outcome, file: outputFile });
  out.line(`${outcome.completed} of ${outcome.tasks} completed, in ${outputFile}`);
  return outcome.completed === outcome.tasks ? exitCodes.ok : exitCodes.failed;
}
