/** Rollouts without a session: batch runs, environments to train in, and what becomes of their trajectories. */

export { openTrajectoryApi } from "./atropos/api-server.ts";
export { serveEnvironment } from "./atropos/serve.ts";
export { isBoard, type SharedServe } from "./atropos/shared-serve.ts";
export { isPromptOutcome } from "./batch/prompt-outcome.ts";
export { writeBatchReport } from "./batch/report.ts";
export { type BatchEvent, type BatchOutcome, runBatch, toolsetDraw } from "./batch/run-batch.ts";
export { RunFolder } from "./batch/run-folder.ts";
export { type CompressionOptions, readCompressionOptions, usualCompression } from "./compress/options.ts";
export {
  type CompressionJob,
  type CompressionOutcome,
  type CompressionProgress,
  compressFiles,
} from "./compress/run.ts";
export { modelSummarizer, summarizePlainly } from "./compress/summarizer.ts";
export { readPrompts } from "./datasets/prompts.ts";
export { configText, type EnvironmentConfig, fieldsOf, readEnvironmentConfig } from "./env/config.ts";
export { type EnvironmentRun, openEnvironmentRun } from "./env/environment-run.ts";
export { evaluate, stamp } from "./env/evaluate.ts";
export { examineEnvironment } from "./env/examine.ts";
export { openMetricsSink } from "./env/metrics-sink.ts";
export { processGroups } from "./env/process.ts";
export { isSharedAttempt } from "./env/shared-evaluation.ts";
export { isAttemptedGroup } from "./env/shared-groups.ts";
export { openGymServer } from "./nemo-gym/gym-server.ts";
export { progressLines } from "./progress/progress-lines.ts";
export { openProgressServer } from "./progress/progress-server.ts";
export type { RunEvent } from "./progress/run-event.ts";
export { RunProgress } from "./progress/run-progress.ts";
export { readReplayOptions } from "./replay/cassette.ts";
export { compareEvaluations } from "./report/comparison.ts";
export { evaluationReport } from "./report/evaluation-report.ts";
export { readEvaluation } from "./report/samples.ts";
export { openRollouts } from "./rollout/open-rollouts.ts";
export { removeLeftFolders } from "./rollout/rollout.ts";
export type { SharedRun } from "./rollout/shared-run.ts";
export { environments, findEnvironment } from "./suite/index.ts";
export { readSweTasks, runSweTasks } from "./swe/mini-swe.ts";
export { openTokenizer } from "./tokens/tokenizer.ts";
export { type PartCommand, superviseRun } from "./training/supervise.ts";
export { Trainings, trainingRecords } from "./training/trainings.ts";
