import type { Hono } from "hono";
import { isSecretVariable, type LoadedConfig, removeSecrets, writeSecret } from "#config";
import { UserError } from "#foundation/errors";
import { Secret } from "#foundation/secrets/secret";
import type { DashboardDeps } from "../deps.ts";
import { textsIn } from "../request-body.ts";

/** The credentials of the home. What one is never leaves the program, only that it is there, what for, and where one is made. */
export function keyRoutes(app: Hono, { home, env, loadSettings, keys }: DashboardDeps): void {
  const options = { home, env };
  app.get("/api/env", async (c) => {
    const stored = storedKeys(await loadSettings());
    const known = keys();
    const own = stored
      .filter((name) => !known.some((one) => one.name === name))
      .map((name) => ({ name, group: "Other", label: name, url: undefined }));
    return c.json({
      variables: [...known, ...own].map(({ name, group, label, url }) => {
        const isSet = stored.includes(name);
        return { name, is_set: isSet, masked: isSet ? "••••" : null, group, label, url: url ?? null };
      }),
    });
  });
  app.put("/api/env", async (c) => {
    const { name, value } = await textsIn(c, "name", "value");
    demandSecret(name);
    if (value.trim() === "") throw new UserError(`${name} needs a value.`, { code: "bad_request" });
    await writeSecret(name, new Secret(value), options);
    return c.json({ name, is_set: true });
  });
  const remove = async (name: string) => {
    demandSecret(name);
    return { name, removed: await removeSecrets([name], options) };
  };
  app.delete("/api/env", async (c) => c.json(await remove((await textsIn(c, "name")).name)));
  app.delete("/api/env/:name", async (c) => c.json(await remove(c.req.param("name"))));
}

/** The credentials in `.env` of the home, by name. */
export function storedKeys({ environment }: LoadedConfig): readonly string[] {
  const { variables } = environment;
  return Object.keys(variables)
    .filter((name) => environment.originOf(name) === "home-file" && isSecretVariable(name))
    .filter((name) => (variables[name] ?? "") !== "")
    .sort();
}

function demandSecret(name: string): void {
  if (isSecretVariable(name)) return;
  throw new UserError(`${name.slice(0, 100)} is not the name of a credential.`, {
    hint: "Names end in _API_KEY, _TOKEN, _SECRET, _PASSWORD or _KEY.",
    code: "bad_request",
  });
}
