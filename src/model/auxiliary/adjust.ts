import type { ModelFailure } from "../failures/failure.ts";
import { fittingOutputTokens } from "../failures/retry-delay.ts";
import type { ModelRequest } from "../request.ts";

/** A request changed so that the same refusal cannot come again; undefined when nothing can be changed. */
export function adjustRequest(request: ModelRequest, failure: ModelFailure): ModelRequest | undefined {
  if (failure.kind === "output_cap_too_large") return withOutputLimit(request, fittingOutputTokens(failure));
  if (failure.kind !== "unsupported_parameter") return undefined;
  const parameter = failure.parameter ?? "";
  if (/temperature/i.test(parameter)) return without(request, "temperature");
  if (/max_(?:completion_|output_)?tokens/i.test(parameter)) return renameOutputLimit(request);
  if (/reasoning|thinking|effort/i.test(parameter)) return without(request, "reasoning");
  if (/^stream/i.test(parameter) && request.options.stream)
    return { ...request, options: { ...request.options, stream: false } };
  if (/response_format|json_schema/i.test(parameter)) return without(request, "responseSchema");
  return undefined;
}

function without(
  request: ModelRequest,
  option: "temperature" | "reasoning" | "responseSchema",
): ModelRequest | undefined {
  if (request.options[option] === undefined) return undefined;
  const { [option]: _dropped, ...options } = request.options;
  return { ...request, options };
}

/** The other of the two names first; a server that knows neither gets no limit. */
function renameOutputLimit(request: ModelRequest): ModelRequest | undefined {
  const { target } = request;
  const used = target.quirks.outputLimitField ?? "max_tokens";
  if (used === "none") return undefined;
  const outputLimitField = used === "max_tokens" ? "max_completion_tokens" : "none";
  return { ...request, target: { ...target, quirks: { ...target.quirks, outputLimitField } } };
}

function withOutputLimit(request: ModelRequest, maxOutputTokens: number | undefined): ModelRequest | undefined {
  const before = request.options.maxOutputTokens;
  if (maxOutputTokens === undefined || (before !== undefined && before <= maxOutputTokens)) return undefined;
  return { ...request, options: { ...request.options, maxOutputTokens } };
}
