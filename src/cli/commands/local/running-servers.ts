import { findLocalServers, localServerFacts } from "#model";

/** A model server that runs on this machine now. */
export interface RunningServer {
  readonly kind: "server";
  readonly label: string;
  readonly detail: string;
  readonly baseUrl: string;
  readonly models: readonly string[];
}

/** Ollama, LM Studio, llama.cpp, vLLM and SGLang, where one of them has a model to offer. */
export async function runningServers(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<readonly RunningServer[]> {
  const found = await findLocalServers(env, signal);
  return found
    .filter(({ models }) => models.length > 0)
    .map(({ kind, models, baseUrl }) => ({
      kind: "server",
      label: `${localServerFacts[kind].label} on this machine`,
      detail: `${models.length} ${models.length === 1 ? "model" : "models"} at ${new URL(baseUrl).host}`,
      baseUrl,
      models: models.map(({ id }) => id),
    }));
}
