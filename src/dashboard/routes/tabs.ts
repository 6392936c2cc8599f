import type { Hono } from "hono";
import type { PluginTabs } from "../plugin-tabs.ts";

/** `GET /api/tabs`: the tabs of plugins; `/api/tabs/<name>/data`: what a plugin wrote for its own; `/tab/…`: their files. */
export function tabRoutes(app: Hono, tabs: PluginTabs): void {
  app.get("/api/tabs", (c) => c.json(tabs.list()));
  app.get("/api/tabs/:name/data", async (c) => c.json({ data: await tabs.data(c.req.param("name")) }));
  app.get("/tab/:folder/:name{.+}", async (c) => {
    const file = await tabs.file(c.req.param("folder"), c.req.param("name"));
    return file === undefined ? c.notFound() : c.body(file.bytes, 200, { "content-type": file.type });
  });
}
