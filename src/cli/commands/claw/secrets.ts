import path from "node:path";
import { isSecretVariable, valueAt, writeSecret } from "#config";
import { Secret } from "#foundation/secrets/secret";
import { isRecord } from "#foundation/text/json";
import { openModelAccess } from "../../support/models.ts";
import { editOptions } from "../../support/settings.ts";
import type { KnownProviders } from "./models.ts";
import { namesIn, type OldHome, readOldJson } from "./old-home.ts";
import type { Migration, Step } from "./step.ts";

/** The only credentials that are ever taken over, by the name they have here. */
const knownKeys: ReadonlySet<string> = new Set([
  "AI_GATEWAY_API_KEY",
  "ANTHROPIC_API_KEY",
  "BRAVE_API_KEY",
  "DEEPSEEK_API_KEY",
  "DISCORD_BOT_TOKEN",
  "ELEVENLABS_API_KEY",
  "EXA_API_KEY",
  "FIRECRAWL_API_KEY",
  "GEMINI_API_KEY",
  "GLM_API_KEY",
  "GOOGLE_API_KEY",
  "GROQ_API_KEY",
  "HF_TOKEN",
  "KILOCODE_API_KEY",
  "KIMI_API_KEY",
  "MATRIX_ACCESS_TOKEN",
  "MATTERMOST_TOKEN",
  "MINIMAX_API_KEY",
  "MISTRAL_API_KEY",
  "NVIDIA_API_KEY",
  "OPENAI_API_KEY",
  "OPENCODE_ZEN_API_KEY",
  "OPENROUTER_API_KEY",
  "PERPLEXITY_API_KEY",
  "SLACK_APP_TOKEN",
  "SLACK_BOT_TOKEN",
  "TAVILY_API_KEY",
  "TELEGRAM_BOT_TOKEN",
  "XAI_API_KEY",
  "XIAOMI_API_KEY",
  "ZAI_API_KEY",
]);

const locations: readonly (readonly [string, readonly string[]])[] = [
  ["TELEGRAM_BOT_TOKEN", ["channels", "telegram", "botToken"]],
  ["DISCORD_BOT_TOKEN", ["channels", "discord", "token"]],
  ["SLACK_BOT_TOKEN", ["channels", "slack", "botToken"]],
  ["SLACK_APP_TOKEN", ["channels", "slack", "appToken"]],
  ["MATTERMOST_TOKEN", ["channels", "mattermost", "botToken"]],
  ["MATRIX_ACCESS_TOKEN", ["channels", "matrix", "accessToken"]],
  ["BRAVE_API_KEY", ["tools", "web", "search", "apiKey"]],
  ["ELEVENLABS_API_KEY", ["messages", "tts", "elevenlabs", "apiKey"]],
  ["ELEVENLABS_API_KEY", ["talk", "apiKey"]],
];

/** Where a credential was found. Its value never leaves this file but as a {@link Secret}. */
interface FoundKey {
  readonly name: string;
  readonly from: string;
  readonly secret: Secret;
}

/** Credentials, only when that was asked for; without it their names are said. */
export async function planSecrets(migration: Migration): Promise<readonly Step[]> {
  const { old, loaded, wanted, invocation, home } = migration;
  await using parts = await openModelAccess(invocation, { isQuiet: true });
  const found = await findKeys(old, parts.models.context.registry);
  const taken = [...found.values()].map(({ name, from, secret }): Step => {
    const item = { area: "credentials", item: `${name} (${from})` } as const;
    const present = loaded.environment.variables[name] ?? "";
    if (present === secret.reveal()) return { ...item, kind: "skip", why: "it is the same here" };
    if (!wanted.takesSecrets) return { ...item, kind: "skip", why: "credentials are imported with --migrate-secrets" };
    if (present !== "" && !wanted.overwrites)
      return { ...item, kind: "conflict", why: "another one is set here; --overwrite replaces it" };
    return {
      ...item,
      kind: "take",
      into: home.envFile,
      apply: async () => await writeSecret(name, secret, editOptions(invocation, home)),
    };
  });
  return [...taken, ...unknownKeys(old), ...(await logins(old))];
}

function unknownKeys({ variables }: OldHome): readonly Step[] {
  const names = [...variables.keys()].filter((name) => isSecretVariable(name) && !knownKeys.has(name));
  const why = "it is not one of the credentials that are taken over; set it with: hermes config set";
  return names.map((name) => ({ area: "credentials", item: `${name.slice(0, 80)} (.env)`, kind: "skip", why }));
}

/** Logins through a browser belong to the program that made them. */
async function logins(old: OldHome): Promise<readonly Step[]> {
  const profiles = (await storedProfiles(old)).filter(({ type }) => type !== "api_key");
  const names = [...new Set(profiles.map(({ provider }) => provider))];
  const why = "logins are not imported; log in again with: hermes auth add";
  return names.map((name) => ({ area: "credentials", item: `login at ${name.slice(0, 80)}`, kind: "skip", why }));
}

/** Of several places for one credential the first counts: settings, logins, then variables. */
async function findKeys(old: OldHome, providers: KnownProviders): Promise<ReadonlyMap<string, FoundKey>> {
  const found = new Map<string, FoundKey>();
  const offer = (name: string | undefined, value: unknown, from: string): void => {
    const text = resolved(value, old.variables);
    if (name === undefined || text === undefined || !knownKeys.has(name) || found.has(name)) return;
    found.set(name, { name, from, secret: new Secret(text) });
  };
  for (const [name, keys] of locations) offer(name, valueAt(old.config, keys), keys.join("."));
  const listed = valueAt(old.config, ["models", "providers"]);
  for (const [provider, block] of Object.entries(isRecord(listed) ? listed : {}))
    if (isRecord(block)) offer(variableOf(provider, providers), block["apiKey"], `models.providers.${provider}`);
  for (const { type, provider, value, from } of await storedProfiles(old))
    if (type === "api_key") offer(variableOf(provider, providers), value, from);
  for (const [name, value] of old.variables) offer(name, value, ".env");
  return found;
}

/** What was typed in or logged in to there. */
async function storedProfiles(old: OldHome) {
  const found: { type: string; provider: string; value: unknown; from: string }[] = [];
  for (const agent of await namesIn(path.join(old.root, "agents"))) {
    const file = path.join("agents", agent, "agent", "auth-profiles.json");
    const stored = await readOldJson(path.join(old.root, file));
    const profiles = stored?.["profiles"] ?? stored;
    for (const profile of Object.values(isRecord(profiles) ? profiles : {})) {
      if (!isRecord(profile)) continue;
      const { type, provider, key, keyRef } = profile;
      if (typeof type === "string" && typeof provider === "string")
        found.push({ type, provider, value: key ?? keyRef, from: file });
    }
  }
  return found;
}

function variableOf(provider: string, providers: KnownProviders): string | undefined {
  return providers.find(provider)?.keyEnv.find((name) => knownKeys.has(name));
}

/** A value, or a reference to a variable of the old home. What another program would have to produce is not fetched. */
function resolved(value: unknown, variables: ReadonlyMap<string, string>): string | undefined {
  const name =
    typeof value === "string"
      ? /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/.exec(value.trim())?.[1]
      : isRecord(value) && value["source"] === "env" && typeof value["id"] === "string"
        ? value["id"]
        : undefined;
  const text = (name === undefined ? value : variables.get(name)) ?? undefined;
  if (typeof text !== "string") return undefined;
  const trimmed = text.trim();
  return trimmed === "" || trimmed.length > 4_096 || !/^[\x21-\x7e]+$/.test(trimmed) ? undefined : trimmed;
}
