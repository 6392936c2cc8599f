import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { request } from "node:http";
import path from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Scope } from "#foundation/lifecycle/disposal";
import { calls, says, slow } from "../fakes/model-server/index.ts";
import { startTelegramServer } from "../fakes/platforms/telegram-server.ts";
import { serious } from "./support/axe.ts";
import { openChromium, openPage, startDashboard } from "./support/dashboard.ts";

// Several programs and a browser are started.
vi.setConfig({ testTimeout: 300_000 });

const scopes: Scope[] = [];
afterEach(async () => {
  for (const scope of scopes.splice(0)) await scope[Symbol.asyncDispose]();
});

function newScope(): Scope {
  const scope = new Scope();
  scopes.push(scope);
  return scope;
}

describe("what runs, and what it may cost", () => {
  it("is true while a gateway, a turn and a process run, and after the gateway was killed [20:R13.1]", async () => {
    const scope = newScope();
    const telegram = scope.adopt(await startTelegramServer());
    const { model, stage, url } = await startDashboard(
      scope,
      [
        `platforms: { telegram: { extra: { base_url: "${telegram.url}/bot" } } }`,
        'telegram: { allowed_users: ["7"] }',
        "budget: { daily_usd: 5, session_usd: 2 }",
      ].join("\n"),
    );
    const problems: string[] = [];
    const page = await openPage(await openChromium(scope), url, problems);
    await page.getByRole("link", { name: "Status", exact: true }).click();
    await page.getByText("Not running.").waitFor();
    await page.getByText("No conversation of this dashboard is working.").waitFor();

    await writeFile(path.join(stage.home, ".env"), `TELEGRAM_BOT_TOKEN=${telegram.token}\n`, { mode: 0o600 });
    const gateway = stage.start(["gateway", "run"]);
    await page.getByText("telegram: connected").waitFor();
    await page.getByText(`Process ${gateway.pid}: running, 0 turns`).waitFor();

    await page.getByRole("link", { name: "Chat", exact: true }).click();
    model.script(calls("terminal", { command: "sleep 300", background: true }), slow(says("It runs.")));
    await page.getByLabel("Message", { exact: true }).fill("wait in the background");
    await page.getByLabel("Message", { exact: true }).press("Enter");
    await model.received(2);
    await page.getByRole("link", { name: "Status", exact: true }).click();
    await page.getByRole("heading", { name: "Background processes" }).waitFor();
    await page.getByText("sleep 300").waitFor();
    const working = page.getByRole("heading", { name: "Running turns" }).locator("xpath=following-sibling::ul[1]");
    await working.getByText("dashboard, test-model").waitFor();
    expect(await serious(page)).toEqual([]);
    model.release(100);
    await page.getByText("No conversation of this dashboard is working.").waitFor();

    gateway.kill("SIGKILL");
    await once(gateway, "exit");
    await page.getByText("Not running.").waitFor();

    await page.getByRole("link", { name: "Insights", exact: true }).click();
    await page.getByText("left of $5.00").waitFor();
    await page.getByText("$2.00 at most").waitFor();
    expect(await serious(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("sends no key, and refuses a wrong value by its name without touching the file [20:A13.2] [20:A13.5] [20:R13.2]", async () => {
    const { stage, origin, token } = await startDashboard(newScope());
    const key = "sk-a-long-secret-value-that-nobody-may-see";
    await writeFile(path.join(stage.home, ".env"), `OPENAI_API_KEY=${key}\n`, { mode: 0o600 });
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const env = await (await fetch(`${origin}/api/env`, { headers })).text();
    expect(env).toContain('"name":"OPENAI_API_KEY","is_set":true');
    expect(env).not.toContain(key.slice(0, 6));
    for (const { masked } of (JSON.parse(env) as { variables: { masked: string | null }[] }).variables)
      expect((masked ?? "").length).toBeLessThanOrEqual(4);

    const file = path.join(stage.home, "config.yaml");
    const before = await readFile(file, "utf8");
    const body = JSON.stringify({ key: "agent.max_turns", value: "many" });
    const refused = await fetch(`${origin}/api/config`, { method: "PUT", headers, body });
    expect(refused.status).toBe(422);
    expect(await refused.text()).toContain("agent.max_turns");
    const large = await fetch(`${origin}/api/config`, { method: "PUT", headers, body: "x".repeat(1_100_000) });
    expect(large.status).toBe(413);
    const streamed = await new Promise<number | undefined>((resolve, reject) => {
      const chunked = { method: "PUT", headers: { ...headers, "transfer-encoding": "chunked" } };
      request(`${origin}/api/config`, chunked, (answer) => resolve(answer.resume().statusCode))
        .once("error", reject)
        .end("{}");
    });
    expect(streamed).toBe(411);
    expect(await readFile(file, "utf8")).toBe(before);
  });
});
