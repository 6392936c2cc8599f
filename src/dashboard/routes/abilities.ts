import type { Context, Hono } from "hono";
import { UserError } from "#foundation/errors";
import type { DashboardDeps } from "../deps.ts";
import { textsIn } from "../request-body.ts";

/** Skills and toolsets of a surface, listed and switched. */
export function abilityRoutes(app: Hono, { abilities }: DashboardDeps): void {
  app.get("/api/skills", async (c) => {
    const skills = await abilities.skills(surfaceIn(c.req.query("platform")), c.req.raw.signal);
    return c.json({ skills: skills.map((skill) => ({ ...skill, pin: skill.pin ?? null })) });
  });
  app.put("/api/skills/toggle", async (c) => {
    await abilities.switchSkill(await switchIn(c), c.req.raw.signal);
    return c.json({ outcome: "saved" });
  });
  app.get("/api/tools/toolsets", async (c) => {
    const toolsets = await abilities.toolsets(surfaceIn(c.req.query("platform")));
    return c.json({
      toolsets: toolsets.map(({ isOn, isAvailable, ...facts }) => ({
        ...facts,
        is_on: isOn,
        is_available: isAvailable,
      })),
    });
  });
  app.put("/api/tools/toolsets/toggle", async (c) => {
    await abilities.switchToolset(await switchIn(c));
    return c.json({ outcome: "saved" });
  });
}

async function switchIn(c: Context) {
  const { name, platform, state } = await textsIn(c, "name", "platform", "state");
  if (state !== "on" && state !== "off") throw new UserError('"state" must be on or off.', { code: "bad_request" });
  return { name, surface: surfaceIn(platform), isOn: state === "on" };
}

function surfaceIn(text = "dashboard"): string {
  if (/^[a-z][a-z0-9_-]{0,31}$/.test(text)) return text;
  throw new UserError("This is not the name of a surface.", { code: "bad_request" });
}
