import { valueAt } from "#config";
import { defined } from "#foundation/defined";
import { isRecord } from "#foundation/text/json";
import type { ProviderProfile } from "#model";
import type { OldHome } from "./old-home.ts";
import { plainText, type WantedSetting, webAddress } from "./wanted-setting.ts";

/** The catalogue of providers, as far as it is asked here. */
export interface KnownProviders {
  find(name: string): ProviderProfile | undefined;
}

const languages: Readonly<Record<string, string>> = {
  "openai-completions": "chat_completions",
  "openai-responses": "codex_responses",
  "anthropic-messages": "anthropic_messages",
};

const unknownProvider = "no provider of that name is known here; choose with: hermes model";

/** The model, those to try after it, and servers of the person's own. */
export function modelSettings({ config }: OldHome, providers: KnownProviders): readonly WantedSetting[] {
  const own = ownServers(config, providers);
  const names = new Map(own.map((one) => [one.name, one.key]));
  const chosen = valueAt(config, ["agents", "defaults", "model"]) ?? valueAt(config, ["agent", "model"]);
  const primary = plainText(isRecord(chosen) ? chosen["primary"] : chosen);
  const after = isRecord(chosen) && Array.isArray(chosen["fallbacks"]) ? chosen["fallbacks"].slice(0, 20) : [];
  const wanted: WantedSetting[] = own.map(({ name, key, entry }) => ({
    item: `models.providers.${name}`,
    kind: "set",
    path: ["providers", key],
    value: entry,
    note: `its key is read from ${String(entry["key_env"])}`,
  }));
  if (primary !== undefined) {
    const item = "agents.defaults.model";
    const target = targetOf(primary, names, providers);
    wanted.push(
      target === undefined
        ? { item, kind: "refused", why: `${primary}: ${unknownProvider}` }
        : { item, kind: "set", path: ["model"], value: target },
    );
  }
  return [...wanted, ...fallbackSettings(after, { names, providers }), ...otherAgents(config)];
}

function fallbackSettings(
  listed: readonly unknown[],
  { names, providers }: { readonly names: ReadonlyMap<string, string>; readonly providers: KnownProviders },
): readonly WantedSetting[] {
  const item = "agents.defaults.model.fallbacks";
  const read = listed.map((one) => {
    const written = plainText(one) ?? "";
    return { written, target: targetOf(written, names, providers) };
  });
  const targets = read.flatMap(({ target }) => target ?? []);
  return [
    ...(targets.length === 0
      ? []
      : [{ item, kind: "set", path: ["fallback_providers"], value: targets } satisfies WantedSetting]),
    ...read
      .filter(({ target }) => target === undefined)
      .map(({ written }): WantedSetting => ({ item: `${item} ${written}`, kind: "refused", why: unknownProvider })),
  ];
}

/** Each would be a profile here, with a home of its own. */
function otherAgents(config: Readonly<Record<string, unknown>>): readonly WantedSetting[] {
  const list = valueAt(config, ["agents", "list"]);
  const count = Array.isArray(list) ? list.length - 1 : 0;
  if (count < 1) return [];
  const why = "one agent for each home; others are profiles: hermes profile create";
  return [{ item: `agents.list (${count} more)`, kind: "refused", why }];
}

export interface OldTarget {
  readonly provider: string;
  readonly model: string;
}

/** `provider/model`, where the model may have a slash of its own. */
function targetOf(written: string, own: ReadonlyMap<string, string>, providers: KnownProviders): OldTarget | undefined {
  const slash = written.indexOf("/");
  const [name, model] = [written.slice(0, slash), written.slice(slash + 1)];
  if (slash < 1 || model === "") return undefined;
  const key = own.get(name);
  if (key !== undefined) return { provider: `custom:${key}`, model };
  const profile = providers.find(name);
  return profile === undefined || profile.isOwnEndpoint === true ? undefined : { provider: profile.id, model };
}

/** Providers with an address that the catalogue does not have. Their keys stay where they are. */
function ownServers(config: Readonly<Record<string, unknown>>, providers: KnownProviders) {
  const listed = valueAt(config, ["models", "providers"]);
  return Object.entries(isRecord(listed) ? listed : {}).flatMap(([name, block]) => {
    const profile = providers.find(name);
    const address = isRecord(block) ? webAddress(block["baseUrl"]) : undefined;
    if (!/^[A-Za-z0-9][\w.-]{0,63}$/.test(name) || address === undefined || !isRecord(block)) return [];
    if (profile !== undefined && profile.isOwnEndpoint !== true) return [];
    const mode = languages[plainText(block["api"]) ?? ""];
    const first =
      Array.isArray(block["models"]) && isRecord(block["models"][0]) ? plainText(block["models"][0]["id"]) : undefined;
    const entry: Readonly<Record<string, unknown>> = {
      base_url: address,
      key_env: `${name.replace(/[^A-Za-z0-9]+/g, "_").toUpperCase()}_API_KEY`,
      ...defined({ api_mode: mode, default_model: first }),
    };
    // The catalogue's words for "a server of your own" name no server.
    return [{ name, key: profile === undefined ? name : `openclaw-${name}`, entry }];
  });
}
