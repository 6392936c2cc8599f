import type { Hono } from "hono";
import {
  changeSetting,
  compareSettings,
  defaultConfig,
  describeSettings,
  describeSource,
  explain,
  exportSettings,
  importSettings,
  isSecretVariable,
  masked,
  unsetSetting,
} from "#config";
import { UserError } from "#foundation/errors";
import type { DashboardDeps } from "../deps.ts";
import { bodyOf, textsIn } from "../request-body.ts";
import { storedKeys } from "./keys.ts";

/** The settings of the home: read, changed one by one, or exchanged as JSON. */
export function settingRoutes(app: Hono, { home, env, loadSettings }: DashboardDeps): void {
  const options = { home, env };
  app.get("/api/config", async (c) => {
    const loaded = await loadSettings();
    return c.json({
      file: loaded.file,
      env_file: home.envFile,
      profile: home.profileName,
      read_from: loaded.readFrom,
      config: masked(loaded.config),
      credentials: storedKeys(loaded),
    });
  });
  app.get("/api/config/schema", async (c) => {
    const loaded = await loadSettings();
    const settings = (await describeSettings()).filter(({ key, isSecret }) => !isSecret && !/<|\[/.test(key));
    return c.json({
      settings: settings.map(({ key, type, choices, description, category, defaultValue, reload, noEffect }) => {
        const { value, source } = explain(loaded, key);
        return {
          key,
          type,
          choices,
          description,
          category,
          default: defaultValue,
          value,
          reload,
          no_effect: noEffect ?? null,
          is_set: source.kind !== "default",
          set_by: source.kind === "default" || source.kind === "file" ? null : describeSource(source),
        };
      }),
    });
  });
  app.get("/api/config/defaults", async (c) => c.json({ config: masked(await defaultConfig()) }));
  app.get("/api/config/export", async (c) => c.json(await exportSettings(await loadSettings())));
  app.post("/api/config/compare", async (c) => {
    const { config } = await bodyOf(c);
    return c.json(await compareSettings(config, await loadSettings()));
  });
  app.put("/api/config", async (c) => {
    const body = await bodyOf(c);
    if (Object.hasOwn(body, "config"))
      return c.json(await importSettings(body["config"], await loadSettings(), options));
    const { key, value } = await textsIn(c, "key", "value");
    refuseSecret(key);
    return c.json(await changeSetting(key, value, options));
  });
  app.delete("/api/config/:key", async (c) => {
    refuseSecret(c.req.param("key"));
    return c.json(await unsetSetting(c.req.param("key"), options));
  });
}

function refuseSecret(key: string): void {
  if (!isSecretVariable(key.toUpperCase())) return;
  throw new UserError(`${key.slice(0, 100)} is a credential; set it among the keys.`, { code: "bad_request" });
}
