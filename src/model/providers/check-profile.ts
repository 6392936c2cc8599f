import { parseUrl } from "./hosts.ts";
import type { AuthKind, ModelNaming, ProviderProfile } from "./provider.ts";

const authKinds: readonly AuthKind[] = [
  "api_key",
  "oauth_device_code",
  "oauth_external",
  "external_process",
  "aws_sdk",
  "none",
];
const namings: readonly ModelNaming[] = [
  "as-given",
  "vendor-prefixed",
  "anthropic",
  "bare",
  "bare-dots",
  "lower-case",
  "deepseek",
  "opencode",
];
const protocols: readonly string[] = [
  "chat_completions",
  "anthropic_messages",
  "codex_responses",
  "gemini_generate",
  "bedrock_converse",
];

const namePattern = /^[a-z0-9][a-z0-9._-]*$/;
const variablePattern = /^[A-Z][A-Z0-9_]*$/;
const hostPattern = /^(?=.{1,253}$)[a-z0-9-]+(?:\.[a-z0-9-]+)+$/;
const headerPattern = /^[A-Za-z0-9-]+$/;
const secretHeaders = new Set(["authorization", "x-api-key", "x-goog-api-key", "cookie"]);

/** What is wrong with a record, in words; empty for a good one. Plugins may hand in anything, so nothing is assumed. */
export function checkProfile(input: ProviderProfile): readonly string[] {
  return [
    ...checkNames(input),
    ...checkAddresses(input),
    ...checkChoices(input),
    ...checkTexts("curatedModels", input.curatedModels, /^\S+$/),
    ...checkTexts("keyEnv", input.keyEnv, variablePattern),
    ...checkTexts("baseUrlEnv", input.baseUrlEnv, variablePattern),
    ...checkHeaders(input),
  ];
}

function* checkNames(input: ProviderProfile): Generator<string> {
  if (typeof input.id !== "string" || !namePattern.test(input.id)) yield "id must be lower-case letters, digits, . _ -";
  if (typeof input.label !== "string" || input.label.trim() === "") yield "label is missing";
  yield* checkTexts("aliases", input.aliases, namePattern);
  if (["auto", "main", "none"].includes(input.id)) yield `id "${input.id}" is a reserved word`;
}

function* checkAddresses(input: ProviderProfile): Generator<string> {
  yield* checkTexts("allowedHosts", input.allowedHosts, hostPattern);
  if (input.baseUrl === "") return;
  const url = parseUrl(input.baseUrl);
  if (url === undefined) {
    yield `baseUrl ${JSON.stringify(input.baseUrl)} is not an absolute address`;
    return;
  }
  if (input.baseUrl.endsWith("/")) yield "baseUrl must not end with a slash";
  if (url.username !== "" || url.password !== "") yield "baseUrl must not carry a password";
  const others = [...(input.keyEndpoints ?? []).map((one) => one.baseUrl), ...(input.probeBaseUrls ?? [])];
  for (const other of others) if (parseUrl(other) === undefined) yield `${JSON.stringify(other)} is not an address`;
}

function* checkChoices(input: ProviderProfile): Generator<string> {
  if (!authKinds.includes(input.authKind)) yield `authKind ${JSON.stringify(input.authKind)} is unknown`;
  if (!namings.includes(input.modelNaming)) yield `modelNaming ${JSON.stringify(input.modelNaming)} is unknown`;
  const named = [input.protocol, ...(input.protocolRules ?? []).map((rule) => rule.protocol)];
  for (const protocol of named) {
    if (protocol !== undefined && !protocols.includes(protocol))
      yield `protocol ${JSON.stringify(protocol)} is unknown`;
  }
  for (const rule of input.protocolRules ?? []) {
    if (!(rule.model instanceof RegExp)) yield "protocolRules need a pattern for the model";
  }
  if (typeof input.models !== "object" || input.models === null) yield "models is missing";
}

function* checkHeaders(input: ProviderProfile): Generator<string> {
  for (const [name, value] of Object.entries(input.headers ?? {})) {
    if (!headerPattern.test(name) || typeof value !== "string") yield `header ${JSON.stringify(name)} is malformed`;
    // A credential in a fixed header would escape the check of hosts.
    if (secretHeaders.has(name.toLowerCase())) yield `header ${JSON.stringify(name)} belongs to the credential`;
  }
}

function* checkTexts(field: string, values: readonly string[], pattern: RegExp): Generator<string> {
  if (!Array.isArray(values)) {
    yield `${field} must be a list`;
    return;
  }
  for (const value of values) {
    if (typeof value !== "string" || !pattern.test(value)) yield `${field} has ${JSON.stringify(value)}`;
  }
}
