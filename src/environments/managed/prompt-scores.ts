import { UserError } from "#foundation/errors";
import { isRecord } from "#foundation/text/json";
import { askServer, list, type TokenServer } from "./token-server.ts";

/** What a model would have written at each position of a prompt: the likeliest tokens first. */
export interface PositionScores {
  readonly ids: readonly number[];
  readonly logprobs: readonly number[];
}

interface ScoreRequest {
  readonly ids: readonly number[];
  /** How many tokens for each position. */
  readonly topK: number;
}

/** Scores a prompt instead of going on with it. One entry for each of its tokens; the first has none, nothing stands before it. */
export async function scorePrompt(
  server: TokenServer,
  request: ScoreRequest,
  signal: AbortSignal,
): Promise<readonly PositionScores[]> {
  const wire = wires[server.server_type];
  if (wire === undefined)
    throw new UserError(`A server of type ${server.server_type} cannot score prompts.`, {
      hint: `Use one of: ${Object.keys(wires).join(", ")}`,
      exitCode: 2,
    });
  const url = `${server.base_url.replace(/\/+$/, "").replace(/\/v1$/, "")}/generate`;
  const answer = await askServer(server, { url, body: wire.body(request) }, signal);
  const first: unknown = Array.isArray(answer) ? answer[0] : answer;
  const positions = isRecord(first) ? wire.read(first) : [];
  if (positions.length !== request.ids.length)
    throw new Error(`the server scored ${positions.length} of ${request.ids.length} tokens`);
  return positions.map((one) => best(one, request.topK));
}

export function scoresPrompts(serverType: string): boolean {
  return serverType in wires;
}

interface Wire {
  body(request: ScoreRequest): unknown;
  read(answer: Readonly<Record<string, unknown>>): readonly (readonly (readonly [id: number, logprob: number])[])[];
}

const wires: Readonly<Record<string, Wire>> = {
  vllm: {
    body: ({ ids, topK }) => ({
      ...{ prompt: { prompt_token_ids: ids }, prompt_logprobs: topK, n: 1, temperature: 0, top_p: 1, max_tokens: 1 },
    }),
    // For each position a map, or a list of maps; possibly all of it in a list for the one sequence there is.
    read: (answer) => {
      const all = list(answer["prompt_logprobs"]);
      const isNested = all.length === 1 && Array.isArray(all[0]) && all[0].some((one) => one === null || isMap(one));
      return (isNested ? list(all[0]) : all).map((position) =>
        (Array.isArray(position) ? position : [position]).filter(isRecord).flatMap(pairsOf),
      );
    },
  },
  sglang: {
    body: ({ ids, topK }) => ({
      input_ids: ids,
      sampling_params: { n: 1, max_new_tokens: 1, temperature: 0 },
      return_logprob: true,
      return_text_in_logprobs: false,
      logprob_start_len: 0,
      top_logprobs_num: topK,
    }),
    read: (answer) => {
      const meta = isRecord(answer["meta_info"]) ? answer["meta_info"] : {};
      return list(meta["input_top_logprobs"]).map((position) =>
        list(position).flatMap((triple) => {
          const [logprob, id] = list(triple);
          return typeof id === "number" && typeof logprob === "number" ? [[id, logprob] as const] : [];
        }),
      );
    },
  },
};

function isMap(value: unknown): boolean {
  return isRecord(value) || (Array.isArray(value) && value.every(isRecord));
}

/** A log-probability, or an object that has it. */
function pairsOf(map: Readonly<Record<string, unknown>>): readonly (readonly [number, number])[] {
  return Object.entries(map).flatMap(([key, value]) => {
    const logprob = isRecord(value) ? value["logprob"] : value;
    return typeof logprob === "number" && Number.isInteger(Number(key)) ? [[Number(key), logprob] as const] : [];
  });
}

function best(pairs: readonly (readonly [number, number])[], topK: number): PositionScores {
  const sorted = [...pairs].sort(([, left], [, right]) => right - left).slice(0, topK);
  return { ids: sorted.map(([id]) => id), logprobs: sorted.map(([, logprob]) => logprob) };
}
