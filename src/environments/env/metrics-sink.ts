import { Secret } from "#foundation/secrets/secret";
import type { EnvironmentRun } from "./environment-run.ts";
import { type MetricsSink, openWandb, wandbRunName } from "./wandb.ts";

interface SinkOptions {
  /** As whom the run is known; the environment when absent. */
  readonly name?: string | undefined;
  readonly project?: string | undefined;
  readonly group?: string | undefined;
  readonly prefix?: string | undefined;
}

const publicService = "https://api.wandb.ai";

/** Whether somebody wants curves of this run drawn elsewhere, and can. */
export function hasMetricsSink({ config, rollouts }: EnvironmentRun): boolean {
  if (!config.use_wandb) return false;
  const { loaded, logger } = rollouts.host.machine;
  if ((loaded.environment.variables["WANDB_API_KEY"] ?? "") !== "") return true;
  logger.warn("metrics stay on this machine: there is no WANDB_API_KEY");
  return false;
}

/** Where the curves of a run are drawn besides its own files; undefined: nowhere. */
export async function openMetricsSink(
  run: EnvironmentRun,
  options: SinkOptions,
  signal: AbortSignal,
): Promise<MetricsSink | undefined> {
  if (!hasMetricsSink(run)) return undefined;
  const { clock, logger, loaded } = run.rollouts.host.machine;
  const { variables } = loaded.environment;
  const name = options.name ?? run.config.wandb_name ?? run.definition.name;
  return await openWandb(
    {
      baseUrl: variables["WANDB_BASE_URL"] ?? publicService,
      apiKey: new Secret(variables["WANDB_API_KEY"] ?? ""),
      project: options.project ?? variables["WANDB_PROJECT"] ?? "hermes",
      entity: variables["WANDB_ENTITY"],
      group: options.group,
      name: wandbRunName(name, new Date(clock.now())),
      prefix: options.prefix ?? "",
      config: { env: run.definition.name, model: run.modelName, ...run.config },
      clock,
      logger,
    },
    signal,
  );
}
