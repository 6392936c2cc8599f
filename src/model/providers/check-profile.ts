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
export function checkProfile(given: ProviderProfile): readonly string[] {
  return [
    ...checkNames(given),
    ...checkAddresses(given),
    ...checkChoices(given),
    ...checkTexts("curatedModels", given.curatedModels, /^\S+$/),
    ...checkTexts("keyEnv", given.keyEnv, variablePattern),
    ...checkTexts("baseUrlEnv", given.baseUrlEnv, variablePattern),
    ...checkHeaders(given),
  ];
}

function* checkNames(given: ProviderProfile): Generator<string> {
  if (typeof given.id !== "string" || !namePattern.test(given.id)) yield "id must be lower-case letters, digits, . _ -";
  if (typeof given.label !== "string" || given.label.trim() === "") yield "label is missing";
  yield* checkTexts("aliases", given.aliases, namePattern);
  if (["auto", "main", "none"].includes(given.id)) yield `id "${given.id}" is a reserved word`;
}

function* checkAddresses(given: ProviderProfile): Generator<string> {
  yield* checkTexts("allowedHosts", given.allowedHosts, hostPattern);
  if (given.baseUrl === "") return;
  const url = parseUrl(given.baseUrl);
  if (url === undefined) {
    yield `baseUrl ${JSON.stringify(given.baseUrl)} is not an absolute address`;
    return;
  }
  if (given.baseUrl.endsWith("/")) yield "baseUrl must not end with a slash";
  if (url.username !== "" || url.password !== "") yield "baseUrl must not carry a password";
  const others = [...(given.keyEndpoints ?? []).map((one) => one.baseUrl), ...(given.probeBaseUrls ?? [])];
  for (const other of others) if (parseUrl(other) === undefined) yield `${JSON.stringify(other)} is not an address`;
}

function* checkChoices(given: ProviderProfile): Generator<string> {
  if (!authKinds.includes(given.authKind)) yield `authKind ${JSON.stringify(given.authKind)} is unknown`;
  if (!namings.includes(given.modelNaming)) yield `modelNaming ${JSON.stringify(given.modelNaming)} is unknown`;
  const named = [given.protocol, ...(given.protocolRules ?? []).map((rule) => rule.protocol)];
  for (const protocol of named) {
    if (protocol !== undefined && !protocols.includes(protocol))
      yield `protocol ${JSON.stringify(protocol)} is unknown`;
  }
  for (const rule of given.protocolRules ?? []) {
    if (!(rule.model instanceof RegExp)) yield "protocolRules need a pattern for the model";
  }
  if (typeof given.models !== "object" || given.models === null) yield "models is missing";
}

function* checkHeaders(given: ProviderProfile): Generator<string> {
  for (const [name, value] of Object.entries(given.headers ?? {})) {
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
