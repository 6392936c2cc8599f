import type { Hono } from "hono";
import {
  changeSetting,
  describeSettings,
  environmentVariables,
  explain,
  isSecretVariable,
  type LoadedConfig,
  masked,
  removeSecrets,
  unsetSetting,
  writeSecret,
} from "#config";
import { UserError } from "#foundation/errors";
import { Secret } from "#foundation/secrets/secret";
import type { DashboardDeps } from "../deps.ts";
import { textsIn } from "../request-body.ts";

/** The settings of the home and its credentials. What a credential is never leaves the program, only that it is there. */
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
      credentials: namesIn(loaded),
    });
  });
  app.get("/api/config/schema", async (c) => {
    const loaded = await loadSettings();
    const settings = (await describeSettings()).filter(({ key, isSecret }) => !isSecret && !/<|\[/.test(key));
    return c.json({
      settings: settings.map(({ key, type, choices, description, category, defaultValue }) => {
        const { value, source } = explain(loaded, key);
        return {
          key,
          type,
          choices,
          description,
          category,
          default: defaultValue,
          value,
          is_set: source.kind !== "default",
        };
      }),
    });
  });
  app.put("/api/config", async (c) => {
    const { key, value } = await textsIn(c, "key", "value");
    refuseSecret(key);
    return c.json(await changeSetting(key, value, options));
  });
  app.delete("/api/config/:key", async (c) => {
    refuseSecret(c.req.param("key"));
    return c.json(await unsetSetting(c.req.param("key"), options));
  });
  app.get("/api/env", async (c) => {
    const set = new Set(namesIn(await loadSettings()));
    const known = environmentVariables.filter(({ kind }) => kind === "secret").map(({ name }) => name);
    const names = [...new Set([...set, ...known])].sort();
    return c.json({
      variables: names.map((name) => ({ name, is_set: set.has(name), masked: set.has(name) ? "••••" : null })),
    });
  });
  app.put("/api/env", async (c) => {
    const { name, value } = await textsIn(c, "name", "value");
    demandSecret(name);
    await writeSecret(name, new Secret(value), options);
    return c.json({ name, is_set: true });
  });
  app.delete("/api/env/:name", async (c) => {
    const name = c.req.param("name");
    demandSecret(name);
    return c.json({ name, removed: await removeSecrets([name], options) });
  });
}

function namesIn({ environment }: LoadedConfig): readonly string[] {
  const { variables } = environment;
  return Object.keys(variables)
    .filter((name) => environment.originOf(name) === "home-file" && isSecretVariable(name))
    .filter((name) => (variables[name] ?? "") !== "")
    .sort();
}

function demandSecret(name: string): void {
  if (isSecretVariable(name)) return;
  throw new UserError(`${name.slice(0, 100)} is not the name of a credential.`, { code: "bad_request" });
}

function refuseSecret(key: string): void {
  if (!isSecretVariable(key.toUpperCase())) return;
  throw new UserError(`${key.slice(0, 100)} is a credential; set it among the keys.`, { code: "bad_request" });
}
