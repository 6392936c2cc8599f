import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type Config, loadConfig } from "#config";
import { silentLogger } from "#foundation/files/logger";
import { HermesHome } from "#foundation/files/paths";
import { never } from "#foundation/lifecycle/abort";
import { Secret } from "#foundation/secrets/secret";
import { freePort } from "../../../../test/fakes/free-port.ts";
import type { ConnectionPorts } from "../../platform/platform.ts";
import type { TelegramApi } from "./api.ts";
import { listenForUpdates } from "./webhook.ts";

const folder = mkdtempSync(path.join(tmpdir(), "hermes-webhook-"));
afterEach(() => vi.useRealTimers());
const url = "https://bot.example/telegram";

async function open(known: string) {
  const { config } = await loadConfig({ home: new HermesHome(folder), env: {} });
  const port = await freePort();
  const telegram: Config["telegram"] = {
    ...config.telegram,
    webhook_url: url,
    webhook_port: port,
    webhook_secret: new Secret("s3cret"),
  };
  const calls: string[] = [];
  const heard: unknown[] = [];
  const alive = vi.fn();
  const api: TelegramApi = <T>(method: string) => {
    calls.push(method);
    return Promise.resolve((method === "getWebhookInfo" ? { url: known } : true) as T);
  };
  const ports = { config: { ...config, telegram }, alive, logger: silentLogger } as unknown as ConnectionPorts;
  const take = (update: unknown): Promise<void> => Promise.resolve(void heard.push(update));
  const listening = await listenForUpdates({ api, ports, take }, never);
  const post = async (body: string, secret = "s3cret") => {
    const headers = { "x-telegram-bot-api-secret-token": secret };
    return (await fetch(`http://127.0.0.1:${port}/telegram`, { method: "POST", body, headers })).status;
  };
  return { listening, post, calls, heard, alive, [Symbol.asyncDispose]: () => listening[Symbol.asyncDispose]() };
}

describe("Telegram's webhook", () => {
  it("takes what carries the secret, and nothing else [40:A-TG-2] [40:A-TG-7]", async () => {
    await using webhook = await open(url);
    expect(await webhook.post('{"update_id":1}')).toBe(200);
    expect(await webhook.post('{"update_id":2}', "guess")).toBe(401);
    expect(await webhook.post("not json")).toBe(400);
    expect(await webhook.post("x".repeat(1_100_000))).toBe(413);
    expect(webhook.heard).toEqual([{ update_id: 1 }]);
  });

  it.each([
    ["is proven alive by Telegram's own answer while nobody writes", url, ["setWebhook", "getWebhookInfo"], 2],
    ["is set again when Telegram forgot it", "", ["setWebhook", "getWebhookInfo", "setWebhook"], 1],
  ])("%s [40:EVT-5]", async (_what, known, calls, signs) => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    await using webhook = await open(known);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(webhook.calls).toEqual(calls);
    expect(webhook.alive).toHaveBeenCalledTimes(signs);
  });
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));
