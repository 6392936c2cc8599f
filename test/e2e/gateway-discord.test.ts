import { afterEach, expect, it } from "vitest";
import { Scope } from "#foundation/lifecycle/disposal";
import { calls, says, startModelServer } from "../fakes/model-server/index.ts";
import { startDiscordServer } from "../fakes/platforms/discord-server.ts";
import { Stage } from "./support/stage.ts";

const scopes: Scope[] = [];
afterEach(async () => {
  for (const scope of scopes.splice(0)) await scope[Symbol.asyncDispose]();
});

it("a chat on Discord has the tools of its server where they are switched on, and only the allowed actions [30:3.24]", async () => {
  const scope = new Scope();
  scopes.push(scope);
  const model = scope.adopt(await startModelServer());
  const discord = scope.adopt(await startDiscordServer());
  const config = [
    `model: { provider: custom, default: test-model, base_url: "${model.chatBaseUrl}", context_length: 128000 }`,
    `discord: { base_url: "${discord.url}", allowed_users: ["7"], server_actions: [list_guilds, list_channels] }`,
    "platform_toolsets: { discord: [file, discord, discord_admin] }",
    "auxiliary: { title_generation: { enabled: false } }",
  ].join("\n");
  const home = scope.adopt(await Stage.open({ config, env: `DISCORD_BOT_TOKEN=${discord.token}\n` }));
  model.script(
    calls("discord_admin", { action: "list_guilds" }),
    calls("discord_admin", { action: "server_info", guild_id: "900" }),
    says("You are in the Reading club."),
  );
  home.start(["gateway", "run"]);
  await expect.poll(() => discord.identified(), { timeout: 60_000 }).toBe(1);
  discord.dispatch("MESSAGE_CREATE", {
    id: "900000000000000001",
    channel_id: "700000000000000001",
    type: 0,
    content: "which servers am I in?",
    author: { id: "7", username: "ann", discriminator: "0" },
    mentions: [],
    attachments: [],
    timestamp: "2026-01-01T00:00:00.000Z",
  });
  await expect
    .poll(() => discord.shown().map(({ content }) => content), { timeout: 60_000 })
    .toContain("You are in the Reading club.");
  const [first, second, third] = model.requests.map(({ body }) => JSON.stringify(body));
  expect(first).toContain("- list_guilds(): the servers the bot is in");
  expect(first).not.toContain("add_role");
  expect(first).not.toContain("fetch_messages");
  expect(second).toContain("Reading club");
  expect(third).toContain("The action server_info is not allowed here.");
  expect(discord.calls.map(({ path }) => path)).not.toContain("/guilds/900?with_counts=true");
});

it("members of a Discord server with an allowed role may write, others may not [40:AUT-5]", async () => {
  const scope = new Scope();
  scopes.push(scope);
  const model = scope.adopt(await startModelServer());
  const discord = scope.adopt(await startDiscordServer());
  const config = [
    `model: { provider: custom, default: test-model, base_url: "${model.chatBaseUrl}", context_length: 128000 }`,
    `discord: { base_url: "${discord.url}", allowed_roles: ["910"], require_mention: false, auto_thread: false }`,
    "auxiliary: { title_generation: { enabled: false } }",
  ].join("\n");
  const home = scope.adopt(await Stage.open({ config, env: `DISCORD_BOT_TOKEN=${discord.token}\n` }));
  model.script(says("Hello, reader."));
  home.start(["gateway", "run"]);
  await expect.poll(() => discord.identified(), { timeout: 60_000 }).toBe(1);
  const write = (id: string, author: string, roles: readonly string[]) =>
    discord.dispatch("MESSAGE_CREATE", {
      id,
      channel_id: "700000000000000001",
      guild_id: "900",
      type: 0,
      content: `hello from ${author}`,
      author: { id: author, username: author, discriminator: "0" },
      member: { roles },
      mentions: [],
      attachments: [],
      timestamp: "2026-01-01T00:00:00.000Z",
    });
  write("900000000000000001", "8", ["911"]);
  write("900000000000000002", "7", ["910"]);
  await expect
    .poll(() => discord.shown().map(({ content }) => content), { timeout: 60_000 })
    .toContain("Hello, reader.");
  expect(model.requests).toHaveLength(1);
  expect(JSON.stringify(model.requests[0]?.body)).toContain("hello from 7");
});
