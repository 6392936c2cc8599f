import type { Remedy, RemedyContext } from "./remedy.ts";

/** A field the endpoint refuses: left out, or called by the name it asks for. */
export function stripUnsupported(context: RemedyContext): Remedy {
  return {
    name: "strip-unsupported",
    limit: { per: "turn", times: 2 },
    treats: (problem) =>
      problem.stage === "request" &&
      problem.failure.kind === "unsupported_parameter" &&
      problem.failure.parameter !== undefined,
    apply(problem, turn) {
      if (problem.stage !== "request") return Promise.resolve(undefined);
      const { parameter = "", message } = problem.failure;
      const name = parameter.split(".")[0] ?? parameter;
      const { target } = turn;
      if (name === "stream" || name === "stream_options") context.stopStreaming(target.baseUrl);
      else if (name === "max_tokens" && /max_completion_tokens/.test(message))
        turn.adjustTarget({ ...target, quirks: { ...target.quirks, outputLimitField: "max_completion_tokens" } });
      else if (name === "max_completion_tokens")
        turn.adjustTarget({ ...target, quirks: { ...target.quirks, outputLimitField: "max_tokens" } });
      else turn.tweak({ withoutParameters: [name] }, "turn");
      return Promise.resolve({ kind: "retry", waitMs: 0 });
    },
  };
}
