import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { never } from "#foundation/lifecycle/abort";
import type { RealModel } from "./real-model.ts";

/** One reply as the server sent it. */
interface Recorded {
  readonly rollout: number;
  readonly input: readonly number[];
  readonly ids: readonly number[];
  readonly logprobs: readonly number[];
  readonly calls: number;
}

export interface TokenReport {
  readonly rollouts: number;
  readonly replies: number;
  readonly toolCalls: number;
  readonly trainedTokens: number;
  readonly tokens: number;
  /** Replies that the next prompt did not go on with. */
  readonly breaks: number;
  readonly faults: readonly string[];
}

/** Asks the real model for calls in every step, so that each rollout has several replies and results of tools between them. */
const environment = (rollouts: number): string => `let at = 0;
export const environment = {
  name: "exact", about: "Calls in every step",
  config: {
    enabled_toolsets: ["terminal"], max_agent_turns: 3, group_size: 1, total_steps: ${rollouts}, max_token_length: 160,
    ensure_scores_are_not_same: false, system_prompt: "Use the tools.",
    extra_body: { tool_choice: { type: "function", function: { name: "process" } } },
  },
  async open() {
    return { next: () => at++, evaluation: [0], prompt: (item) => "Rollout " + item + ". List the processes.", reward: async () => 1 };
  },
};
`;

/** Rollouts of the built program with the real model; what it would train on is compared with what the server sampled. */
export async function exactTokens(model: RealModel, rollouts: number): Promise<TokenReport> {
  const folder = await mkdtemp(path.join(tmpdir(), "hermes-tokens-"));
  try {
    const { port, token } = await model.server.address(never);
    await using recorder = await startRecorder(`http://127.0.0.1:${port}`);
    await writeFile(path.join(folder, "exact.mjs"), environment(rollouts));
    await runProgram(folder, [
      ...["env", "./exact.mjs", "process", "--openai.server_type", "vllm", "--openai.token_source", "chat"],
      ...["--openai.base_url", `${recorder.url}/v1`, "--openai.api_key", token, "--openai.model_name", "smol"],
    ]);
    const text = await readFile(path.join(folder, "data", "exact.jsonl"), "utf8");
    const groups = text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Group);
    return compare(groups, recorder.recorded);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Group {
  readonly tokens: readonly (readonly number[])[];
  readonly masks: readonly (readonly number[])[];
  readonly inference_logprobs: readonly (readonly number[])[] | null;
}

function compare(groups: readonly Group[], recorded: readonly Recorded[]): TokenReport {
  const faults: string[] = [];
  let [breaks, tokens, trainedTokens] = [0, 0, 0];
  for (const [rollout, group] of groups.entries()) {
    const own = recorded.filter((reply) => reply.rollout === rollout);
    const last = own.at(-1);
    if (last === undefined) {
      faults.push(`rollout ${rollout}: nothing was sampled for it`);
      continue;
    }
    const wanted = [...last.input, ...last.ids];
    const masks = wanted.map(() => -100);
    const logprobs = wanted.map(() => 1);
    for (const { input, ids, logprobs: sampled } of own) {
      const isPart = [...input, ...ids].every((id, at) => wanted[at] === id);
      if (!isPart) breaks += 1;
      else
        for (const [at, id] of ids.entries()) {
          masks[input.length + at] = id;
          logprobs[input.length + at] = sampled[at] ?? 1;
        }
    }
    const told = { tokens: group.tokens[0], masks: group.masks[0], logprobs: group.inference_logprobs?.[0] };
    for (const [name, list] of Object.entries({ tokens: wanted, masks, logprobs }))
      if (JSON.stringify(told[name as keyof typeof told]) !== JSON.stringify(list))
        faults.push(`rollout ${rollout}: its ${name} are not those that were sampled`);
    tokens += wanted.length;
    trainedTokens += masks.filter((id) => id !== -100).length;
  }
  const toolCalls = recorded.reduce((sum, { calls }) => sum + calls, 0);
  return { rollouts: groups.length, replies: recorded.length, toolCalls, trainedTokens, tokens, breaks, faults };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** Stands before the real server and keeps what it answered. */
async function startRecorder(target: string) {
  const recorded: Recorded[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const body = await bodyOf(request);
      const headers = { authorization: request.headers.authorization ?? "", "content-type": "application/json" };
      const answer = await fetch(`${target}${request.url ?? ""}`, {
        method: request.method ?? "GET",
        headers,
        ...(body === "" ? {} : { body }),
      });
      const text = await answer.text();
      if (answer.ok && request.url?.endsWith("/chat/completions") === true) recorded.push(readReply(body, text));
      response.writeHead(answer.status, { "content-type": "application/json" });
      response.end(text);
    })().catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    recorded,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function readReply(request: string, reply: string): Recorded {
  const answer = JSON.parse(reply) as {
    readonly prompt_token_ids: readonly number[];
    readonly choices: readonly {
      readonly token_ids: readonly number[];
      readonly logprobs: { readonly token_logprobs: readonly number[] };
      readonly message: { readonly tool_calls?: readonly unknown[] };
    }[];
  };
  const [choice] = answer.choices;
  return {
    rollout: Number(/Rollout (\d+)\./.exec(request)?.[1]),
    input: answer.prompt_token_ids,
    ids: choice?.token_ids ?? [],
    logprobs: choice?.logprobs.token_logprobs ?? [],
    calls: choice?.message.tool_calls?.length ?? 0,
  };
}

async function runProgram(folder: string, args: readonly string[]): Promise<void> {
  const main = path.join(import.meta.dirname, "..", "..", "dist", "cli", "main.js");
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: folder,
    HERMES_HOME: path.join(folder, "home"),
    LANG: "C.UTF-8",
  };
  const child = spawn(process.execPath, [main, ...args], { cwd: folder, env, stdio: ["ignore", "ignore", "pipe"] });
  let errors = "";
  child.stderr.on("data", (text: Buffer) => {
    errors += String(text);
  });
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  if (code !== 0) throw new Error(`the program ended with ${code}: ${errors.slice(-2000)}`);
}
