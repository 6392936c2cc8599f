import { mkdirSync, writeFileSync } from "node:fs";
import { never } from "#foundation/lifecycle/abort";
import { withLogin } from "../../credentials/auth-state.ts";
import type { ProviderProfile } from "../../providers/provider.ts";
import { openWorld, type World } from "./world.ts";

const future = Date.UTC(2030, 0, 1);

/** A world in which the only credential is one for this provider. */
export async function worldFor(profile: ProviderProfile): Promise<World> {
  const key = profile.id === "copilot" ? "gho_contract0123456789" : "contract-key-0123456789";
  const env: Record<string, string> = Object.fromEntries(profile.keyEnv.slice(-1).map((name) => [name, key]));
  if (profile.id === "azure-foundry") env.AZURE_FOUNDRY_BASE_URL = "https://contract.services.ai.azure.com/models";
  if (profile.id === "google-gemini-cli") env.HERMES_GEMINI_PROJECT_ID = "project-1";
  const world = openWorld({ env });
  const logins: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
    nous: {
      access_token: "portal-access",
      expires_at: new Date(future).toISOString(),
      agent_key: "agent-key-0123456",
      agent_key_expires_at: new Date(future).toISOString(),
    },
    "openai-codex": {
      tokens: {
        access_token: `a.${Buffer.from(JSON.stringify({ exp: future / 1000, "https://api.openai.com/auth": { chatgpt_account_id: "acc-1" } })).toString("base64url")}.c`,
      },
    },
  };
  const login = logins[profile.id];
  if (login !== undefined) await world.authFile.update((state) => withLogin(state, profile.id, login), never);
  if (profile.id === "qwen-oauth") {
    mkdirSync(`${world.folder}/.qwen`);
    writeFileSync(
      `${world.folder}/.qwen/oauth_creds.json`,
      JSON.stringify({ access_token: "qwen-access-0123", expiry_date: future }),
    );
  }
  if (profile.id === "google-gemini-cli") {
    mkdirSync(`${world.folder}/auth`);
    writeFileSync(
      `${world.folder}/auth/google_oauth.json`,
      JSON.stringify({ access_token: "google-access-01", expires_at_ms: future }),
    );
  }
  return world;
}
