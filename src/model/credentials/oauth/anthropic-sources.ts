import { Secret } from "#foundation/secrets/secret";
import type { LoginSlot } from "../login-slot.ts";
import { isAnthropicLoginToken } from "../scheme.ts";
import { type FoundCredential, keyFromEnvironment } from "../sources.ts";
import {
  type AnthropicEndpoints,
  anthropicEndpoints,
  anthropicTokens,
  claudeCodeSlot,
  createAnthropicFlow,
} from "./anthropic.ts";
import type { FindOptions, FlowContext } from "./flow.ts";

export interface AnthropicSourceOptions extends FindOptions {
  readonly flow: FlowContext;
  readonly endpoints?: AnthropicEndpoints;
}

const tokenVariables = ["ANTHROPIC_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"];

/**
 * Anthropic's credentials, best first. A login that can renew itself comes before a token copied into the
 * environment, which stops working within hours; an API key comes last because it costs per token.
 */
export async function anthropicCredentials(
  options: AnthropicSourceOptions,
  signal: AbortSignal,
): Promise<readonly FoundCredential[]> {
  const { env } = options.flow;
  const tokens = tokenVariables.flatMap((name) => fromVariable(name, options));
  const claudeCode = options.mayReadForeignLogin ? await fromClaudeCode(options, signal) : [];
  const own = await fromOwnLogin(options, signal);
  const renewable = claudeCode.filter((one) => one.tokens !== undefined);
  const still = claudeCode.filter((one) => one.tokens === undefined);
  const key = keyFromEnvironment("ANTHROPIC_API_KEY", env, options.warn);
  const keys = key === undefined ? [] : [keyOf("ANTHROPIC_API_KEY", key.secret)];
  const isOverridden = options.preferEnvironment && tokens.length > 0;
  const ordered = isOverridden
    ? [...tokens, ...renewable, ...still, ...own, ...keys]
    : [...renewable, ...tokens, ...still, ...own, ...keys];
  return withoutDoubles(ordered);
}

function fromVariable(name: string, options: AnthropicSourceOptions): readonly FoundCredential[] {
  const key = keyFromEnvironment(name, options.flow.env, options.warn);
  return key === undefined ? [] : [keyOf(name, key.secret)];
}

function keyOf(name: string, secret: Secret): FoundCredential {
  const authType = isAnthropicLoginToken(secret.reveal()) ? "oauth" : "api_key";
  return { source: `env:${name}`, label: name, authType, secret };
}

async function fromClaudeCode(
  options: AnthropicSourceOptions,
  signal: AbortSignal,
): Promise<readonly FoundCredential[]> {
  const slot = await claudeCodeSlot(options.flow, options.keychain, signal);
  return fromSlot({ slot, source: "claude_code", label: "Claude Code login" }, options, signal);
}

async function fromOwnLogin(options: AnthropicSourceOptions, signal: AbortSignal): Promise<readonly FoundCredential[]> {
  const flow = createAnthropicFlow(options.flow, options.endpoints ?? anthropicEndpoints);
  const status = await flow.status(signal);
  if (status.kind === "logged-out") return [];
  return [
    {
      source: "hermes_pkce",
      label: "Anthropic login",
      authType: "oauth",
      secret: status.secret,
      tokens: flow.tokens(),
    },
  ];
}

async function fromSlot(
  location: { readonly slot: LoginSlot; readonly source: string; readonly label: string },
  options: AnthropicSourceOptions,
  signal: AbortSignal,
): Promise<readonly FoundCredential[]> {
  const login = await location.slot.read(signal);
  if (login === undefined) return [];
  const isOver = login.expiresAtMs !== undefined && login.expiresAtMs <= options.flow.clock.now();
  if (login.refreshToken === undefined && isOver) return [];
  const found: FoundCredential = {
    source: location.source,
    label: location.label,
    authType: "oauth",
    secret: new Secret(login.accessToken),
  };
  if (login.refreshToken === undefined) return [found];
  return [{ ...found, tokens: anthropicTokens(location.slot, options.flow, options.endpoints ?? anthropicEndpoints) }];
}

function withoutDoubles(found: readonly FoundCredential[]): readonly FoundCredential[] {
  return found.filter((one, at) => found.findIndex((other) => other.secret.equals(one.secret)) === at);
}
