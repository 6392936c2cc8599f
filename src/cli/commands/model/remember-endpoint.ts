import { type SettingChange, writeSecret } from "#config";
import { defined } from "#foundation/defined";
import type { Invocation } from "../../command.ts";
import { editOptions, loadSettings } from "../../support/settings.ts";
import type { PickedModel } from "./pick.ts";

export interface RememberedChoice {
  /** `custom:<name>` for an own endpoint. */
  readonly provider: string;
  readonly model: string;
  /** To be saved together with the choice. */
  readonly changes: readonly SettingChange[];
}

/**
 * Gives an own endpoint a name to be called by. Its key goes to `.env`; of an endpoint that is saved already only
 * what was answered changes.
 */
export async function rememberEndpoint(invocation: Invocation, picked: PickedModel): Promise<RememberedChoice> {
  const { endpoint, provider, model } = picked;
  if (endpoint === undefined) return { provider, model, changes: [] };
  const { home, loaded } = await loadSettings(invocation, { isQuiet: true });
  const list = loaded.config.custom_providers;
  const at = list.findIndex((one) => one.base_url === endpoint.baseUrl);
  const name = list[at]?.name ?? endpoint.name;
  const keyEnv = endpoint.apiKey === undefined ? undefined : variableOf(name);
  if (endpoint.apiKey !== undefined && keyEnv !== undefined)
    await writeSecret(keyEnv, endpoint.apiKey, editOptions(invocation, home));
  const answered = {
    model,
    ...defined({ key_env: keyEnv, context_length: endpoint.contextLength }),
  };
  const added = { name, base_url: endpoint.baseUrl, ...answered };
  const changes: readonly SettingChange[] =
    at >= 0
      ? Object.entries(answered).map(([key, value]) => ({
          kind: "set",
          path: ["custom_providers", String(at), key],
          value,
        }))
      : list.length === 0
        ? [{ kind: "set", path: ["custom_providers"], value: [added] }]
        : [{ kind: "set", path: ["custom_providers", String(list.length)], value: added }];
  return { provider: slugOf(name), model, changes };
}

/** How an own endpoint is named in `model.provider`. */
export function slugOf(name: string): string {
  return `custom:${name.trim().toLowerCase().replace(/\s+/g, "-")}`;
}

function variableOf(name: string): string {
  const words = name.replace(/[^A-Za-z0-9]+/g, "_").replace(/^_|_$/g, "");
  return `${words.toUpperCase()}_API_KEY`;
}
