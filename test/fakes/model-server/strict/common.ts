import { isUtf8 } from "node:buffer";
import { stringAt } from "../wire-object.ts";
import { type Complaint, complain, type Rule, type Subject } from "./rule.ts";

/** Checked for every request, strict or not: they follow from what the server was configured with. */
export const gateRules: readonly Rule[] = [
  { id: "all/key", check: keyMatches },
  { id: "all/body-size", check: bodyFits },
  { id: "all/json", check: bodyIsJson },
  { id: "all/context-window", check: promptFits },
];

/** Strict rules that hold on every wire. */
export const commonRules: readonly Rule[] = [
  { id: "all/utf8", check: bodyIsUtf8 },
  { id: "all/surrogates", check: hasNoLoneSurrogates },
  { id: "all/model", check: namesModel },
];

function keyMatches({ request, apiKey }: Subject): Complaint | undefined {
  if (apiKey === undefined) return undefined;
  const [, bearer] = /^Bearer (.*)$/i.exec(request.headers.authorization ?? "") ?? [];
  const input = bearer ?? (request.protocol === "anthropic" ? request.headers["x-api-key"] : undefined);
  if (input === apiKey) return undefined;
  const preset = input === undefined ? "missing-key" : "bad-key";
  return { message: `The key is ${input === undefined ? "missing" : "wrong"}.`, failure: { kind: "failure", preset } };
}

function bodyFits({ request }: Subject): Complaint | undefined {
  if (request.bodyProblem !== "too-large") return undefined;
  return { message: "The body is too large.", failure: { kind: "failure", preset: "payload-too-large" } };
}

function bodyIsJson(subject: Subject): Complaint | undefined {
  return subject.request.bodyProblem === "invalid-json" ? unparseable(subject) : undefined;
}

function promptFits(subject: Subject): Complaint | undefined {
  const { contextWindow, promptTokens, request, body } = subject;
  if (contextWindow === undefined) return undefined;
  if (promptTokens > contextWindow)
    return {
      message: `The prompt has ${promptTokens} tokens, the window ${contextWindow}.`,
      failure: { kind: "failure", preset: "context-overflow" },
    };
  const wanted = [body.max_tokens, body.max_completion_tokens].find((value) => typeof value === "number");
  if (typeof wanted !== "number" || promptTokens + wanted <= contextWindow) return undefined;
  if (request.protocol === "anthropic")
    return complain(
      `input length and \`max_tokens\` exceed context limit: ${promptTokens} + ${wanted} > ${contextWindow}, decrease input length or \`max_tokens\` and try again`,
    );
  return complain(
    `This model's maximum context length is ${contextWindow} tokens. However, you requested ${promptTokens + wanted} tokens (${promptTokens} in the messages, ${wanted} in the completion). Please reduce the length of the messages or completion.`,
    "messages",
    "context_length_exceeded",
  );
}

function bodyIsUtf8(subject: Subject): Complaint | undefined {
  return isUtf8(subject.request.rawBytes) ? undefined : unparseable(subject);
}

function hasNoLoneSurrogates(subject: Subject): Complaint | undefined {
  return holdsLoneSurrogate(subject.body) ? unparseable(subject) : undefined;
}

/** Matching by code point, the class finds only surrogates without a partner. */
function holdsLoneSurrogate(value: unknown): boolean {
  if (typeof value === "string") return /\p{Cs}/u.test(value);
  if (Array.isArray(value)) return value.some(holdsLoneSurrogate);
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([key, inner]) => holdsLoneSurrogate(key) || holdsLoneSurrogate(inner));
}

function namesModel({ request, body }: Subject): Complaint | undefined {
  if (stringAt(body.model) !== "") return undefined;
  if (request.protocol === "anthropic") return complain("model: Field required");
  if (request.protocol === "chat") return complain("you must provide a model parameter");
  return complain("Missing required parameter: 'model'.", "model", "missing_required_parameter");
}

function unparseable({ request }: Subject): Complaint {
  return request.protocol === "anthropic"
    ? complain("The request body is not valid JSON: invalid string")
    : complain(
        "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)",
      );
}
