import { UserError } from "#foundation/errors";
import { isRecord } from "#foundation/text/json";
import { askServer, list, numbers, type TokenServer } from "./token-server.ts";

export interface GenerateRequest {
  readonly ids: readonly number[];
  readonly maxTokens: number;
  readonly temperature: number;
}

/** Text is undefined where the server gives ids alone. */
export interface Generated {
  readonly ids: readonly number[];
  readonly logprobs: readonly number[];
  readonly text: string | undefined;
  readonly finish: "stop" | "length";
}

/** Samples from token ids, so that nothing is turned into tokens twice. One function for each kind of server. */
export async function generate(server: TokenServer, request: GenerateRequest, signal: AbortSignal): Promise<Generated> {
  const wire = wires[server.server_type];
  if (wire === undefined)
    throw new UserError(
      `server_type cannot be ${server.server_type}; exact tokens need one of: ${Object.keys(wires).join(", ")}`,
    );
  const base = server.base_url.replace(/\/+$/, "").replace(/\/v1$/, "");
  const url = `${base}${wire.path}`;
  const answer = await askServer(server, { url, body: wire.body(request) }, signal);
  const first: unknown = Array.isArray(answer) ? answer[0] : answer;
  if (!isRecord(first)) throw new Error(`${url} answered no JSON object`);
  return wire.read(first);
}

interface Wire {
  readonly path: string;
  body(request: GenerateRequest): unknown;
  read(answer: Readonly<Record<string, unknown>>): Generated;
}

const wires: Readonly<Record<string, Wire>> = {
  vllm: {
    path: "/generate",
    body: ({ ids, maxTokens, temperature }) => ({
      ...{ prompt: { prompt_token_ids: ids }, logprobs: 0, n: 1, max_tokens: maxTokens, temperature },
    }),
    read: (answer) => {
      const ids = numbers(firstOf(answer["token_ids"]));
      const positions = list(firstOf(answer["logprobs"]));
      return {
        ids,
        // Each position is a map from ids to log-probabilities, possibly inside a list.
        logprobs: ids.map((id, index) => {
          const at = positions[index];
          const map = Array.isArray(at) ? (at[0] as unknown) : at;
          const value = isRecord(map) ? map[String(id)] : undefined;
          return typeof value === "number" ? value : 1;
        }),
        text: textOf(firstOf(answer["text"])),
        finish: firstOf(answer["finish_reasons"]) === "length" ? "length" : "stop",
      };
    },
  },
  sglang: {
    path: "/generate",
    body: ({ ids, maxTokens, temperature }) => ({
      input_ids: ids,
      sampling_params: { n: 1, max_new_tokens: maxTokens, temperature },
      return_logprob: true,
      return_text_in_logprobs: false,
    }),
    read: (answer) => {
      const meta = isRecord(answer["meta_info"]) ? answer["meta_info"] : {};
      const triples = list(meta["output_token_logprobs"]).map((triple) => list(triple));
      const reason: unknown = isRecord(meta["finish_reason"]) ? meta["finish_reason"]["type"] : meta["finish_reason"];
      return {
        ids: numbers(triples.map(([, id]) => id)),
        logprobs: numbers(triples.map(([logprob]) => logprob)),
        text: textOf(answer["text"]),
        finish: reason === "length" ? "length" : "stop",
      };
    },
  },
  "llama.cpp": {
    path: "/completion",
    body: ({ ids, maxTokens, temperature }) => ({
      ...{
        prompt: ids,
        n_predict: maxTokens,
        temperature,
        n_probs: 1,
        return_tokens: true,
        stream: false,
        cache_prompt: true,
      },
    }),
    read: (answer) => {
      const probabilities = list(answer["completion_probabilities"]).filter(isRecord);
      const ids = numbers(list(answer["tokens"]));
      return {
        ids: ids.length > 0 ? ids : numbers(probabilities.map(({ id }) => id)),
        logprobs: numbers(probabilities.map(({ logprob }) => logprob)),
        text: textOf(answer["content"]),
        finish: answer["stop_type"] === "limit" ? "length" : "stop",
      };
    },
  },
};

export function givesTokens(serverType: string): boolean {
  return serverType in wires;
}

function firstOf(value: unknown): unknown {
  return Array.isArray(value) ? (value[0] as unknown) : value;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
