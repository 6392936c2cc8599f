import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

/** Files below a folder: path to content. */
export function writeFiles(root: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(root, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

export const teaSkill = "---\nname: tea\ndescription: How to make tea\n---\n\n# Tea\n\nBoil water.\n";

export const oldKeys = {
  telegram: "123456789:AAabcdefghijklmnopqrstuvwxyz0123456",
  openrouter: `sk-or-v1-${"0a1b2c3d".repeat(8)}`,
  anthropic: `sk-ant-api03-${"Zz9Yy8Xx".repeat(10)}`,
};

/** An OpenClaw home with something in every corner. */
export const oldHomeFiles: Readonly<Record<string, string>> = {
  "openclaw.json": `// written by hand
{
  agents: { defaults: { model: { primary: "anthropic/claude-sonnet-4-6", fallbacks: ["openrouter/openai/gpt-5.2", "nowhere/x"] } } },
  channels: {
    telegram: { enabled: true, botToken: "${oldKeys.telegram}", dmPolicy: "pairing", allowFrom: ["tg:111", "222", "*"],
      groups: { "*": { requireMention: true } } },
    signal: { account: "+15550100", httpUrl: "http://127.0.0.1:8080" },
    msteams: { enabled: true },
  },
  models: { providers: { "my-box": { baseUrl: "http://10.0.0.5:8000/v1", apiKey: "sk-local-abcdef0123456789", api: "openai-completions", models: [{ id: "qwen3" }] } } },
  mcp: { servers: {
    docs: { url: "https://docs.example.com/mcp", headers: { Authorization: "Bearer qqq-www-eee-rrr-ttt" } },
    files: { command: "npx", args: ["-y", "server-files", "."], env: { LEVEL: "2", FILES_TOKEN: "t0psecret-value" } },
    "bad name": { command: "x" },
  } },
}
`,
  ".env": `OPENROUTER_API_KEY=${oldKeys.openrouter}\nUNKNOWN_API_KEY=whatever-it-is-123\n`,
  "agents/main/agent/auth-profiles.json": JSON.stringify({
    version: 1,
    profiles: {
      "anthropic:default": { type: "api_key", provider: "anthropic", key: oldKeys.anthropic },
      "openai:default": { type: "oauth", provider: "openai", access: "x" },
    },
  }),
  "credentials/telegram-allowFrom.json": JSON.stringify({ version: 1, allowFrom: ["333"] }),
  "cron/jobs.json": "{}",
  "workspace/SOUL.md": "You are Molly, dry and kind.\n",
  "workspace/AGENTS.md": "Be careful with the garden.\n",
  "workspace/IDENTITY.md": "Name: Molly\n",
  "workspace/MEMORY.md": "# Memory\n\n## House\n- The boiler is in the cellar\n- Bins go out on Tuesday\n",
  "workspace/USER.md": "# User\n\n- **Name:** Ada\n- **Pronouns:**\n",
  "workspace/memory/2026-01-02.md": "Rain.\n",
  "workspace/skills/tea/SKILL.md": teaSkill,
};
