import { statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { describe, UserError } from "#foundation/errors";
import { httpRequest } from "#foundation/http/request";
import { byteSize, plural } from "#foundation/text/figures";
import { createManagedGateway, findDocker, reachTerminal } from "#tools";
import { givesTokens } from "../managed/generate.ts";
import { scoresPrompts } from "../managed/prompt-scores.ts";
import type { Rollouts } from "../rollout/open-rollouts.ts";
import { openTokenizer } from "../tokens/tokenizer.ts";
import type { EnvironmentConfig } from "./config.ts";
import type { Environment, OpenEnvironment } from "./environment.ts";

/** What one look at something a run needs came to. */
export interface Finding {
  readonly name: string;
  readonly state: "ok" | "warning" | "failed";
  readonly detail: string;
  readonly hint?: string | undefined;
}

interface ExamineOptions {
  readonly rollouts: Rollouts;
  readonly config: EnvironmentConfig;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly allowsLocal: boolean;
}

/** Looks at everything a run of this environment needs, without asking a model anything. */
export async function examineEnvironment(
  definition: Environment,
  options: ExamineOptions,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const opened = await openDataset(definition, options, signal);
  return [
    await terminalFinding(definition, options, signal),
    await diskFinding(),
    opened.finding,
    ...(await imageFindings(opened.environment, options, signal)),
    await tokenizerFinding(options),
    await serverFinding(options, signal),
  ];
}

async function terminalFinding(
  { name: environment, needsIsolation }: Environment,
  { config, rollouts, env, allowsLocal }: ExamineOptions,
  signal: AbortSignal,
): Promise<Finding> {
  const { machine, models } = rollouts.host;
  const name = `terminal ${config.env.terminal_backend}`;
  if (needsIsolation === true && config.env.terminal_backend === "local" && !allowsLocal)
    return {
      ...{ name, state: "failed", detail: `${environment} runs commands that nobody has looked at` },
      hint: "Use containers (--env.terminal_backend docker), or say --allow-local-exec.",
    };
  const subscription = createManagedGateway({ env, login: (during) => models.subscription(during) });
  const reached = await reachTerminal(machine.loaded.config.terminal, { env, subscription }, signal);
  if (reached.kind === "unreachable") return { name, state: "failed", detail: reached.detail, hint: reached.hint };
  return { name, state: "ok", detail: reached.detail };
}

const littleDisk = 2 * 1024 ** 3;

async function diskFinding(): Promise<Finding> {
  const folder = tmpdir();
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const detail = `${byteSize(free)} free in ${folder}`;
  if (free >= littleDisk) return { name: "disk", state: "ok", detail };
  return {
    name: "disk",
    state: "warning",
    detail,
    hint: "Sandboxes and images need room; set TMPDIR to another disk.",
  };
}

async function openDataset(
  definition: Environment,
  { config, cwd, env, rollouts }: ExamineOptions,
  signal: AbortSignal,
): Promise<{ readonly finding: Finding; readonly environment?: OpenEnvironment<unknown> }> {
  const [server] = config.servers;
  const canScore = server !== undefined && scoresPrompts(server.server_type);
  const name = "dataset";
  try {
    const environment = await definition.open(
      {
        ...{ config, cwd, env, logger: rollouts.host.machine.logger },
        judge: () => Promise.resolve(undefined),
        scoreReply: canScore ? () => Promise.reject(new Error("nothing is scored here")) : undefined,
      },
      signal,
    );
    const source = config.env.dataset_name ?? "built in";
    const detail = `${source}: ${plural(environment.evaluation.length, "item")} to evaluate`;
    return { finding: { name, state: "ok", detail }, environment };
  } catch (error) {
    signal.throwIfAborted();
    return { finding: { name, state: "failed", ...told(error) } };
  }
}

/** Only docker keeps images on this machine; the other kinds fetch their own. */
async function imageFindings(
  environment: OpenEnvironment<unknown> | undefined,
  { config, env }: ExamineOptions,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const images = [...new Set(environment?.images ?? [])];
  if (images.length === 0 || config.env.terminal_backend !== "docker") return [];
  try {
    const docker = await findDocker(env, signal);
    const missing: string[] = [];
    for (const image of images)
      if ((await docker.run(["image", "inspect", image], { signal })).exitCode !== 0) missing.push(image);
    if (missing.length === 0) return [{ name: "images", state: "ok", detail: `all ${images.length} are here` }];
    const detail = `${missing.length} of ${images.length} are not here yet: ${missing.slice(0, 3).join(", ")}`;
    return [{ name: "images", state: "warning", detail, hint: "The first use fetches them." }];
  } catch (error) {
    signal.throwIfAborted();
    return [{ name: "images", state: "failed", ...told(error) }];
  }
}

async function tokenizerFinding({ config, cwd, env }: ExamineOptions): Promise<Finding> {
  const name = "tokenizer";
  const [server] = config.servers;
  const wanted = server?.tokenizer_name ?? config.env.tokenizer_name;
  const isNeeded = server !== undefined && givesTokens(server.server_type) && server.token_source !== "chat";
  if (wanted === null) {
    if (!isNeeded) return { name, state: "ok", detail: "none is needed" };
    const hint = "Name one that is on this machine (--env.tokenizer_name <folder>).";
    return { name, state: "failed", detail: `server_type ${server.server_type} needs one`, hint };
  }
  try {
    await openTokenizer(wanted, { cwd, env });
    return { name, state: "ok", detail: wanted };
  } catch (error) {
    return { name, state: isNeeded ? "failed" : "warning", ...told(error) };
  }
}

const answerMs = 10_000;
const maxBodyBytes = 4 * 1024 * 1024;

/** Whether somebody answers there; nothing is asked of a model, and no key is sent. */
async function serverFinding({ config, rollouts }: ExamineOptions, signal: AbortSignal): Promise<Finding> {
  const [server] = config.servers;
  const name = "model server";
  try {
    const { target } = await rollouts.chooseModel(
      { model: server?.model_name ?? undefined, baseUrl: server?.base_url === "" ? undefined : server?.base_url },
      signal,
    );
    const base = target.baseUrl.replace(/\/+$/, "");
    const isExact = server !== undefined && givesTokens(server.server_type);
    const url = isExact ? `${base.replace(/\/v1$/, "")}/health` : `${base}/models`;
    const answer = await httpRequest(url, { method: "GET", headers: {}, signal, timeoutMs: answerMs, maxBodyBytes });
    signal.throwIfAborted();
    if (answer.kind === "failure")
      return {
        name,
        state: "failed",
        detail: `${url}: ${answer.failure.message}`,
        hint: "Start it, or name another one.",
      };
    const state = answer.status < 500 ? "ok" : "failed";
    return { name, state, detail: `${target.model} at ${base} (${url} answers ${answer.status})` };
  } catch (error) {
    signal.throwIfAborted();
    return { name, state: "failed", ...told(error) };
  }
}

function told(error: unknown): { readonly detail: string; readonly hint?: string | undefined } {
  return { detail: describe(error), hint: error instanceof UserError ? error.hint : undefined };
}
