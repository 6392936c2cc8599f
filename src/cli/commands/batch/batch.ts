import { randomBytes } from "node:crypto";
import path from "node:path";
import { readEffort, readPrefill } from "#agent";
import { isPromptOutcome, RunFolder, readPrompts, runBatch, toolsetDraw, writeBatchReport } from "#environments";
import { defined } from "#foundation/defined";
import { exitCodes, type Invocation } from "../../command.ts";
import { flagList, flagNumber, flagText, hasFlag } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { openRolloutsFor, wantedModel, withOptionsFile } from "../../support/rollouts.ts";
import { usageError } from "../../usage-error.ts";
import { listDistributions } from "./distributions.ts";
import { BatchProgress } from "./progress.ts";
import { sharedRun } from "./shared-run.ts";
import { printSummary } from "./summary.ts";

/** A batch is what one worker does in a row, and one file: few enough that several workers get some of a small dataset. */
const usualBatchSize = 10;

/** Runs the agent over a dataset. 0: every prompt has an outcome; 1: some failed and wait for `--resume`; 130: stopped. */
export async function batch(input: Invocation): Promise<number> {
  const invocation = await withOptionsFile(input, "batch");
  const { io } = invocation;
  if (hasFlag(invocation, "list-distributions")) return await listDistributions(invocation);
  const datasetFile = needed(invocation, "dataset-file");
  const runName = needed(invocation, "run-name");
  const batchSize = flagNumber(invocation, "batch-size", { usual: usualBatchSize });
  const maxSteps = flagNumber(invocation, "max-turns", { usual: 10 });
  const out = new Output(invocation);
  if (flagText(invocation, "log-prefix-chars") !== undefined)
    out.note("Warning: --log-prefix-chars has no effect: no previews are logged.");
  await using rollouts = await openRolloutsFor(invocation, settingsOf(invocation));
  const { machine } = rollouts.host;
  const distribution = flagText(invocation, "distribution") ?? "default";
  const chances = rollouts.distribution(distribution);
  const prompts = await readPrompts(datasetFile, {
    cwd: io.cwd,
    env: io.env,
    split: flagText(invocation, "dataset-split") ?? "train",
    field: flagText(invocation, "prompt-field") ?? "prompt",
    limit:
      flagText(invocation, "max-samples") === undefined
        ? undefined
        : flagNumber(invocation, "max-samples", { usual: 1 }),
    onSkipped: (text) => out.note(`Warning: ${text}`),
  });
  const folder = new RunFolder(
    path.resolve(io.cwd, flagText(invocation, "output-dir") ?? ".", "data", runName),
    machine.logger,
  );
  const model = await rollouts.chooseModel(wantedModel(invocation), io.signal);
  await folder.prepare({ isResumed: hasFlag(invocation, "resume"), isOverwritten: hasFlag(invocation, "overwrite") });
  const rng = flagText(invocation, "rng");
  using progress = new BatchProgress(invocation);
  const outcome = await runBatch(
    {
      runName,
      distribution,
      prompts,
      batchSize,
      workers: flagNumber(invocation, "num-workers", { usual: 4, max: 4096 }),
      settings: {
        runId: `${runName}_${randomBytes(3).toString("hex")}`,
        model,
        modelName: model.target.model,
        maxSteps,
        request: requestOf(invocation),
        ephemeralPrompt: flagText(invocation, "ephemeral-system-prompt"),
        prefill: await readPrefill(machine),
        draw: toolsetDraw(chances, rng === undefined ? undefined : flagNumber(invocation, "rng", { usual: 0, min: 0 })),
      },
      folder,
      rollouts,
      shared:
        rollouts.store.kind === "postgres"
          ? sharedRun(rollouts.store, { runName, kind: "batch", isOutcome: isPromptOutcome, ...machine })
          : undefined,
      isResumed: hasFlag(invocation, "resume"),
      isOverwritten: hasFlag(invocation, "overwrite"),
      onProgress: (event) => progress.note(event),
    },
    io.signal,
  );
  progress[Symbol.dispose]();
  const report = await writeBatchReport(folder.folder, outcome);
  printSummary(out, { outcome, folder: folder.folder, report });
  if (outcome.isStopped) return exitCodes.interrupted;
  return outcome.statistics.failed_prompts > 0 ? exitCodes.failed : exitCodes.ok;
}

function needed(invocation: Invocation, name: string): string {
  const value = flagText(invocation, name);
  if (value !== undefined && value !== "") return value;
  throw usageError(`hermes batch needs --${name}.`, "See: hermes batch --help");
}

/** Settings by another name. */
function settingsOf(invocation: Invocation): readonly (readonly [string, unknown])[] {
  const lists = [
    ["provider_routing.only", flagList(invocation, "providers-allowed")],
    ["provider_routing.ignore", flagList(invocation, "providers-ignored")],
    ["provider_routing.order", flagList(invocation, "providers-order")],
  ] as const;
  const texts = [
    ["provider_routing.sort", flagText(invocation, "provider-sort")],
    ["agent.prefill_messages_file", prefillFile(invocation)],
  ] as const;
  return [
    // A rollout has a folder of its own that is gone afterwards: nothing to go back to.
    ["checkpoints.enabled", false],
    ...lists.filter(([, list]) => list.length > 0),
    ...texts.filter(([, text]) => text !== undefined),
  ];
}

function prefillFile(invocation: Invocation): string | undefined {
  const file = flagText(invocation, "prefill-messages-file");
  return file === undefined ? undefined : path.resolve(invocation.io.cwd, file);
}

function requestOf(invocation: Invocation) {
  const effort = hasFlag(invocation, "reasoning-disabled") ? "none" : flagText(invocation, "reasoning-effort");
  const reasoning = effort === undefined ? undefined : readEffort(effort);
  const hasLimit = flagText(invocation, "max-tokens") !== undefined;
  return {
    ...defined({ reasoning }),
    ...(hasLimit ? { maxOutputTokens: flagNumber(invocation, "max-tokens", { usual: 1, max: 10_000_000 }) } : {}),
  };
}
