import { describeSettings, environmentVariables, explain, isSecretVariable } from "#config";
import { maskKey } from "#model";
import { redactionOf } from "../support/redactor.ts";
import { concreteKeys } from "../support/setting-keys.ts";
import type { Settings } from "../support/settings.ts";
import { version } from "../version.ts";

/** Names of providers' keys that a bug report should mention as set or not. */
const mentioned = [
  "OPENROUTER_API_KEY",
  "OPENAI_API_KEY",
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_TOKEN",
  "NOUS_API_KEY",
  "GOOGLE_API_KEY",
  "GEMINI_API_KEY",
  "DEEPSEEK_API_KEY",
  "GITHUB_TOKEN",
  "TELEGRAM_BOT_TOKEN",
  "DISCORD_BOT_TOKEN",
];

/** A plain block for a bug report. Every line passes the redactor: a key in a setting must not get out either. */
export async function dumpText({ home, loaded }: Settings, options: { readonly showsKeys: boolean }): Promise<string> {
  const { config, environment } = loaded;
  const { redact } = redactionOf(loaded);
  const set = new Map(loaded.secrets.all().map(({ name, secret }) => [name, secret]));
  const names = [...new Set([...mentioned, ...set.keys()])].filter(
    (name) => isSecretVariable(name) && (set.has(name) || environmentVariables.some((one) => one.name === name)),
  );
  const keys = names.map((name) => {
    const secret = set.get(name);
    const shown = secret === undefined ? "not set" : options.showsKeys ? `set (${maskKey(secret)})` : "set";
    return `  ${name}: ${shown}`;
  });
  const overrides = [...concreteKeys(await describeSettings()).keys()].flatMap((key) => {
    const { value, source } = explain(loaded, key);
    return source.kind === "default" || value === undefined ? [] : [`  ${key}: ${JSON.stringify(value)}`];
  });
  const features = [
    `streaming ${config.display.streaming}`,
    `memory ${config.memory.memory_enabled}`,
    `memory provider ${config.memory.provider || "none"}`,
    `compression ${config.compression.enabled}`,
    `mcp servers ${Object.keys(config.mcp_servers).length}`,
    `plugins ${config.plugins.enabled.length}`,
  ];
  const lines = [
    `version: ${version}`,
    `os: ${process.platform} ${process.arch}`,
    `runtime: Node ${process.versions.node}`,
    `profile: ${home.profileName}`,
    `home: ${home.root}`,
    `model: ${config.model.default || "(not chosen)"}`,
    `provider: ${config.model.provider}`,
    `terminal: ${config.terminal.backend}`,
    `settings read from: ${loaded.readFrom}, layout ${loaded.fileVersion ?? "unknown"}`,
    `variables from .env: ${Object.keys(environment.variables).filter((name) => environment.originOf(name) === "home-file").length}`,
    "keys:",
    ...keys,
    `features: ${features.join(", ")}`,
    "config overrides:",
    ...overrides.map(redact),
  ];
  return ["--- hermes dump ---", ...lines, "--- end dump ---", ""].join("\n");
}
