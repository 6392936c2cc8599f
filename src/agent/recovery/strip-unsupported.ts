import type { ModelFailure, Target } from "#model";
import type { Turn } from "../turn/turn.ts";
import type { Remedy, RemedyContext } from "./remedy.ts";

/** Parts of a request that an agent cannot do without: leaving them out would be another request. */
const essential: ReadonlySet<string> = new Set(["tools", "tool", "function", "messages", "input", "model", "system"]);

/** A field the endpoint refuses: left out, or called by the name it asks for. Images become words. */
export function stripUnsupported(context: RemedyContext): Remedy {
  return {
    name: "strip-unsupported",
    limit: { per: "turn", times: 2 },
    treats: (problem) =>
      problem.stage === "request" &&
      problem.failure.kind === "unsupported_parameter" &&
      problem.failure.parameter !== undefined,
    apply(problem, turn) {
      const isChanged = problem.stage === "request" && change(problem.failure, turn, context);
      return Promise.resolve(isChanged ? { kind: "retry", waitMs: 0 } : undefined);
    },
  };
}

function change({ parameter = "", message }: ModelFailure, turn: Turn, context: RemedyContext): boolean {
  const name = parameter.split(".")[0] ?? parameter;
  const { target } = turn;
  if (essential.has(name)) return false;
  if (/^(?:images?|image_url|input_image)$/.test(name)) {
    turn.breakCause = "images are sent in words";
    return withQuirks(turn, { supportsImages: false });
  }
  if (name === "stream" || name === "stream_options") return stopStreaming(turn, context);
  if (name === "max_tokens" && /max_completion_tokens/.test(message))
    return withQuirks(turn, { outputLimitField: "max_completion_tokens" });
  if (name === "max_completion_tokens") return withQuirks(turn, { outputLimitField: "max_tokens" });
  const { [name]: input, ...extraBody } = target.quirks.extraBody ?? {};
  if (input !== undefined) return withQuirks(turn, { extraBody });
  turn.tweak({ withoutParameters: [name] }, "turn");
  return true;
}

function withQuirks(turn: Turn, quirks: Target["quirks"]): true {
  const { target } = turn;
  turn.adjustTarget({ ...target, quirks: { ...target.quirks, ...quirks } });
  return true;
}

function stopStreaming(turn: Turn, context: RemedyContext): true {
  context.stopStreaming(turn.target.baseUrl);
  turn.emit({
    type: "notice",
    level: "info",
    text: `${turn.target.providerLabel} cannot stream this model; answers come whole from now on. To ask for that from the start, set display.streaming to false.`,
  });
  return true;
}
