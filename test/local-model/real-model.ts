import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import { HermesHome } from "#foundation/files/paths";
import { never } from "#foundation/lifecycle/abort";
import { isRecord } from "#foundation/text/json";
import { engineFolder, LocalServer, ModelLibrary } from "#local-model";

const peers = process.env["HERMES_TEST_PEERS"] ?? path.join(homedir(), ".cache", "hermes-test-peers");
export const modelFile = path.join(peers, "SmolLM2-135M-Instruct.Q4_1.gguf");
const engine = path.join(peers, path.basename(engineFolder(new HermesHome("/"))));

/** Why tests with a real model cannot run here; undefined when they can. */
export const missing = [engine, modelFile].find((file) => !existsSync(file));
if (missing !== undefined) {
  process.stderr.write(`Skipped: ${missing} is missing; bash scripts/setup-test-peers.sh puts it there.\n`);
}

/** A home with the engine and, if wanted, the model. */
export async function homeWithEngine(model?: string): Promise<HermesHome & AsyncDisposable> {
  const folder = await mkdtemp(path.join(tmpdir(), "hermes-local-"));
  const home = new HermesHome(path.join(folder, "home"));
  await mkdir(path.dirname(engineFolder(home)), { recursive: true });
  await symlink(engine, engineFolder(home));
  if (model !== undefined) await new ModelLibrary(home.at("models")).add(modelFile, model);
  return Object.assign(home, {
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  });
}

export interface RealModel extends AsyncDisposable {
  readonly home: HermesHome;
  readonly server: LocalServer;
  /** The status and the answer of one request, read as JSON where it is JSON. */
  ask(body: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<Answer>;
  /** The raw answer, for streams. */
  send(body: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<Response>;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly finish: string;
  readonly calls: readonly { readonly name: string; readonly args: string }[];
  readonly usage: { readonly prompt: number; readonly completion: number; readonly cached: number };
  readonly tokens: readonly number[];
  readonly promptTokens: readonly number[];
  readonly logprobs: readonly number[];
  readonly error: { readonly code?: string; readonly message?: string };
}

/** The real model, served; greedy and short unless a request says otherwise. */
export async function serveRealModel(
  options: { readonly maxContext?: number; readonly idleMs?: number } = {},
): Promise<RealModel> {
  const home = await homeWithEngine("smol");
  const server = new LocalServer({ home, idleMs: options.idleMs ?? 600_000, maxContext: options.maxContext });
  await server.ready(never);
  const { port, token } = await server.address(never);
  const send: RealModel["send"] = (body, signal) =>
    fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify({ model: "smol", temperature: 0, max_tokens: 24, ...body }),
      ...(signal === undefined ? {} : { signal }),
    });
  return {
    home,
    server,
    send,
    async ask(body, signal) {
      const response = await send(body, signal);
      return readAnswer(response.status, await response.json());
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

function readAnswer(status: number, document: unknown): Answer {
  const body = isRecord(document) ? document : {};
  const choice = Array.isArray(body["choices"]) && isRecord(body["choices"][0]) ? body["choices"][0] : {};
  const message = isRecord(choice["message"]) ? choice["message"] : {};
  const usage = isRecord(body["usage"]) ? body["usage"] : {};
  const details = isRecord(usage["prompt_tokens_details"]) ? usage["prompt_tokens_details"] : {};
  const calls = Array.isArray(message["tool_calls"]) ? message["tool_calls"].filter(isRecord) : [];
  const logprobs = isRecord(choice["logprobs"]) ? choice["logprobs"]["token_logprobs"] : [];
  const numbers = (value: unknown): readonly number[] => (Array.isArray(value) ? value.map(Number) : []);
  return {
    status,
    text: String(message["content"] ?? ""),
    finish: String(choice["finish_reason"] ?? ""),
    calls: calls.map((call) => {
      const called = isRecord(call["function"]) ? call["function"] : {};
      return { name: String(called["name"]), args: String(called["arguments"]) };
    }),
    usage: {
      prompt: Number(usage["prompt_tokens"]),
      completion: Number(usage["completion_tokens"]),
      cached: Number(details["cached_tokens"]),
    },
    tokens: numbers(choice["token_ids"]),
    promptTokens: numbers(body["prompt_token_ids"]),
    logprobs: numbers(logprobs),
    error: isRecord(body["error"]) ? body["error"] : {},
  };
}

/** The process that serves a home, as the system lists it. */
export function isRunning(pid: number): boolean {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    return !/\) [ZX]/.test(text);
  } catch {
    return false;
  }
}
