import { openAsBlob } from "node:fs";
import path from "node:path";
import type { Config } from "#config";
import type { Fetch } from "#foundation/http/fetch";
import { runProcess } from "#foundation/process/run";
import { isRecord, parseJson } from "#foundation/text/json";

export interface TranscriberDeps {
  readonly config: Pick<Config, "stt">;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly fetch: Fetch;
}

const services = {
  openai: { root: "https://api.openai.com/v1", key: "OPENAI_API_KEY" },
  groq: { root: "https://api.groq.com/openai/v1", key: "GROQ_API_KEY" },
  mistral: { root: "https://api.mistral.ai/v1", key: "MISTRAL_API_KEY" },
  xai: { root: "https://api.x.ai/v1", key: "XAI_API_KEY" },
} as const;

type Transcriber = (file: string, signal: AbortSignal) => Promise<string>;

const longestMs = 300_000;

/** Speech to text: by a program of this machine, or over a service that speaks OpenAI's form. Undefined where none is set up. */
export function transcriber(deps: TranscriberDeps): Transcriber | undefined {
  const { stt } = deps.config;
  if (!stt.enabled) return undefined;
  if (stt.provider === "local") return localTranscriber(deps);
  const service = services[stt.provider];
  const key = deps.env[service.key] ?? "";
  if (key === "") return undefined;
  const root = stt.provider === "openai" ? (stt.openai.base_url ?? service.root) : service.root;
  const { model } = stt[stt.provider];
  return async (file, signal) => {
    const form = new FormData();
    form.set("model", model);
    form.set("file", await openAsBlob(file), path.basename(file));
    const headers = { authorization: `Bearer ${key}` };
    const answer = await deps.fetch(`${root}/audio/transcriptions`, { method: "POST", body: form, headers, signal });
    const parsed = parseJson(await answer.text());
    const text = parsed.ok && isRecord(parsed.value) ? parsed.value["text"] : undefined;
    if (!answer.ok || typeof text !== "string") throw new Error(`speech to text answered with status ${answer.status}`);
    return text;
  };
}

/** Words go to the program as they are: no shell reads them. It sees nothing of our environment that could be a secret. */
function localTranscriber({ config, env }: TranscriberDeps): Transcriber | undefined {
  const { command, model, language } = config.stt.local;
  if (command.length === 0) return undefined;
  return async (file, signal) => {
    const values: Readonly<Record<string, string>> = { file, model, language };
    const words = command.map((word) =>
      word.replaceAll(/\{(file|model|language)\}/gu, (_, name: string) => values[name] ?? ""),
    );
    const [program = "", ...args] = words;
    const { PATH = "/usr/bin:/bin", HOME = "", LANG = "C.UTF-8" } = env;
    const ran = await runProcess(program, args, { env: { PATH, HOME, LANG }, signal, timeoutMs: longestMs });
    if (ran.exitCode !== 0)
      throw new Error(ran.timedOut ? `${program} took too long` : `${program} failed: ${ran.stderr.slice(-200)}`);
    return ran.stdout;
  };
}
