type Body = Readonly<Record<string, unknown>>;

/** What a server that samples from token ids is asked, and how it answers. Requests it would refuse are refused here. */
export interface TokenWire {
  readonly type: string;
  /** `k` is there when the prompt is to be scored. */
  read(body: Body): { readonly input: readonly number[]; readonly k: number | undefined };
  sampled(input: readonly number[], reply: { readonly text: string; readonly ids: readonly number[] }): unknown;
  /** Nothing stands before the first token, so it has no score. */
  scored(input: readonly number[], at: (id: number) => readonly (readonly [id: number, logprob: number])[]): unknown;
}

const sampledLogprob = -0.5;

const vllm: TokenWire = {
  type: "vllm",
  read: ({ prompt, prompt_logprobs }) => ({
    input: (prompt as { prompt_token_ids: number[] }).prompt_token_ids,
    k: prompt_logprobs as number | undefined,
  }),
  sampled: (input, { text, ids }) => ({
    ...{ text: [text], finish_reasons: ["stop"], prompt_token_ids: input, token_ids: [ids] },
    logprobs: [ids.map((id) => [{ [id]: sampledLogprob }])],
  }),
  scored: (input, at) => ({
    token_ids: [[]],
    prompt_logprobs: [
      input.map((id, index) =>
        index === 0
          ? null
          : Object.fromEntries(at(id).map(([key, logprob], n) => [key, n === 0 ? logprob : { logprob }])),
      ),
    ],
  }),
};

/** The fields of `GenerateReqInput` and `SamplingParams` that a request for tokens may have. */
const sglangFields = new Set([
  ...["text", "input_ids", "sampling_params", "return_logprob", "logprob_start_len", "top_logprobs_num"],
  ...["token_ids_logprob", "return_text_in_logprobs", "stream", "rid"],
]);
const sglangSampling = new Set([
  ...["n", "max_new_tokens", "temperature", "top_p", "top_k", "min_p", "stop", "stop_token_ids", "ignore_eos"],
  ...["skip_special_tokens", "no_stop_trim", "sampling_seed"],
]);

const sglang: TokenWire = {
  type: "sglang",
  read(body) {
    const { input_ids, sampling_params, return_logprob, top_logprobs_num = 0, logprob_start_len = -1 } = body;
    const foreign = [
      ...Object.keys(body).filter((name) => !sglangFields.has(name)),
      ...Object.keys(sampling_params as Body).filter((name) => !sglangSampling.has(name)),
    ];
    if (foreign.length > 0) throw new Error(`SGLang knows no ${foreign.join(", ")}`);
    if (return_logprob !== true) throw new Error("without return_logprob there are no log-probabilities");
    // By default only what was sampled has log-probabilities; the prompt has them from this position on.
    const isScored = logprob_start_len === 0 && Number(top_logprobs_num) > 0;
    return { input: input_ids as number[], k: isScored ? Number(top_logprobs_num) : undefined };
  },
  sampled: (input, { text, ids }) => ({
    text,
    output_ids: ids,
    meta_info: {
      ...{ id: "r1", finish_reason: { type: "stop", matched: 2 }, weight_version: "default", cached_tokens: 0 },
      ...{ prompt_tokens: input.length, completion_tokens: ids.length, e2e_latency: 0.1 },
      input_token_logprobs: [],
      output_token_logprobs: ids.map((id) => [sampledLogprob, id, null]),
    },
  }),
  scored: (input, at) => ({
    text: "x",
    output_ids: [120],
    meta_info: {
      ...{ id: "r2", finish_reason: { type: "length", length: 1 }, prompt_tokens: input.length, completion_tokens: 1 },
      input_token_logprobs: input.map((id, index) => [index === 0 ? null : -2, id, null]),
      input_top_logprobs: input.map((id, index) =>
        index === 0 ? null : at(id).map(([token, logprob]) => [logprob, token, null]),
      ),
      output_token_logprobs: [[-0.1, 120, null]],
      output_top_logprobs: [[[-0.1, 120, null]]],
    },
  }),
};

export const tokenWires: readonly TokenWire[] = [vllm, sglang];
