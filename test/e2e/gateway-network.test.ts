import { afterEach, describe, expect, it } from "vitest";
import { Scope } from "#foundation/lifecycle/disposal";
import { says, startModelServer } from "../fakes/model-server/index.ts";
import { startNetworkProxy } from "../fakes/network-proxy.ts";
import { startDiscordServer } from "../fakes/platforms/discord-server.ts";
import { startTelegramServer } from "../fakes/platforms/telegram-server.ts";
import { Stage } from "./support/stage.ts";

const scopes: Scope[] = [];
afterEach(async () => {
  for (const scope of scopes.splice(0)) await scope[Symbol.asyncDispose]();
});

/** Telegram and Discord under names that nobody but the proxy knows. */
async function stage() {
  const scope = new Scope();
  scopes.push(scope);
  const model = scope.adopt(await startModelServer());
  const telegram = scope.adopt(await startTelegramServer());
  const discord = scope.adopt(await startDiscordServer({ socketUrl: "ws://discord.test" }));
  const portOf = (url: string): number => Number(new URL(url).port);
  const names = { "telegram.test": portOf(telegram.url), "discord.test": portOf(discord.url) };
  const proxy = scope.adopt(await startNetworkProxy(names));
  const config = [
    `model: { provider: custom, default: test-model, base_url: "${model.chatBaseUrl}", context_length: 128000 }`,
    'telegram: { base_url: "http://telegram.test", allow_all_users: true }',
    'discord: { base_url: "http://discord.test", allow_all_users: true, require_mention: false, auto_thread: false }',
    "auxiliary: { title_generation: { enabled: false } }",
  ].join("\n");
  const start = async (env: Readonly<Record<string, string>>) => {
    const tokens = { TELEGRAM_BOT_TOKEN: telegram.token, DISCORD_BOT_TOKEN: discord.token };
    const lines = Object.entries({ ...tokens, ...env }).map(([name, value]) => `${name}=${value}\n`);
    const home = scope.adopt(await Stage.open({ config, env: lines.join("") }));
    const child = home.start(["gateway", "run"]);
    const said: string[] = [];
    child.stderr?.on("data", (chunk: Buffer) => said.push(chunk.toString()));
    return { child, said: () => said.join("") };
  };
  return { model, telegram, discord, proxy, start };
}

const inDiscord = {
  id: "900000000000000001",
  channel_id: "700000000000000001",
  type: 0,
  content: "hello Discord",
  author: { id: "7", username: "ann", discriminator: "0" },
  mentions: [],
  attachments: [],
  timestamp: "2026-01-01T00:00:00.000Z",
};

describe("platforms behind a proxy", { timeout: 120_000 }, () => {
  it("are reached through the one of their own, calls and sockets, each with its kind [40:CFG-7]", async () => {
    const { model, telegram, discord, proxy, start } = await stage();
    model.otherwise(() => says("Heard."));
    await start({
      TELEGRAM_PROXY: `http://ann:p%40ss@127.0.0.1:${proxy.port}`,
      DISCORD_PROXY: `socks5://127.0.0.1:${proxy.port}`,
      // The proxy for all others leads nowhere.
      HTTPS_PROXY: "http://127.0.0.1:9",
      HTTP_PROXY: "http://127.0.0.1:9",
    });
    telegram.text("hello Telegram");
    await expect.poll(() => telegram.shown().map(({ text }) => text), { timeout: 60_000 }).toEqual(["Heard."]);
    await expect.poll(() => discord.identified(), { timeout: 60_000 }).toBe(1);
    discord.dispatch("MESSAGE_CREATE", inDiscord);
    await expect.poll(() => discord.shown().map(({ content }) => content), { timeout: 60_000 }).toEqual(["Heard."]);
    const ways = new Set(proxy.asked.map((line) => line.replace(/\/bot[^ ]*$/u, "")));
    expect(ways).toContain("POST http://telegram.test");
    expect(ways).toContain("SOCKS discord.test:80");
    expect([...ways].filter((line) => line.includes("discord")).every((line) => line.startsWith("SOCKS"))).toBe(true);
    expect(new Set(proxy.logins)).toContain(`Basic ${Buffer.from("ann:p@ss").toString("base64")}`);
  });

  it("are reached through the one for all where they have none, their sockets through a tunnel [40:CFG-7]", async () => {
    const { model, discord, proxy, start } = await stage();
    model.otherwise(() => says("Heard."));
    await start({ ALL_PROXY: `http://127.0.0.1:${proxy.port}` });
    await expect.poll(() => discord.identified(), { timeout: 60_000 }).toBe(1);
    discord.dispatch("MESSAGE_CREATE", inDiscord);
    await expect.poll(() => discord.shown().map(({ content }) => content), { timeout: 60_000 }).toEqual(["Heard."]);
    expect(proxy.asked).toContain("CONNECT discord.test:80");
  });

  it("with one that cannot be used say so, without its password; others go on [40:CFG-7]", async () => {
    const { proxy, discord, start } = await stage();
    const { said } = await start({
      TELEGRAM_PROXY: "ftp://ann:secret-word@proxy.test",
      DISCORD_PROXY: `http://127.0.0.1:${proxy.port}`,
    });
    await expect.poll(said, { timeout: 60_000 }).toMatch(/telegram: fatal: .*http, https and socks5/u);
    await expect.poll(() => discord.identified(), { timeout: 60_000 }).toBe(1);
    expect(said()).not.toContain("secret-word");
  });
});
