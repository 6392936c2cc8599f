import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
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

async function stage(settings: string, skills: readonly string[] = []) {
  const scope = new Scope();
  scopes.push(scope);
  const model = scope.adopt(await startModelServer());
  const discord = scope.adopt(await startDiscordServer());
  const config = [
    `model: { provider: custom, default: test-model, base_url: "${model.chatBaseUrl}", context_length: 128000 }`,
    `discord: { base_url: "${discord.url}", require_mention: false, auto_thread: false, ${settings} }`,
    "auxiliary: { title_generation: { enabled: false } }",
    "display: { busy_input_mode: queue }",
  ].join("\n");
  const home = scope.adopt(await Stage.open({ config, env: `DISCORD_BOT_TOKEN=${discord.token}\n` }));
  for (const name of skills) {
    const folder = path.join(home.home, "skills", "own", name);
    await mkdir(folder, { recursive: true });
    await writeFile(
      path.join(folder, "SKILL.md"),
      `---\nname: ${name}\ndescription: How ${name} is done\n---\nWith care.\n`,
    );
  }
  let count = 0;
  const write = (author: string, content: string, more: Readonly<Record<string, unknown>> = {}): void => {
    count += 1;
    discord.dispatch("MESSAGE_CREATE", {
      id: String(900_000_000_000_000_000n + BigInt(count)),
      channel_id: "700000000000000001",
      type: 0,
      content,
      author: { id: author, username: author, discriminator: "0" },
      mentions: [],
      attachments: [],
      timestamp: "2026-01-01T00:00:00.000Z",
      ...more,
    });
  };
  const start = async () => {
    home.start(["gateway", "run"]);
    await expect.poll(() => discord.identified(), { timeout: 60_000 }).toBe(1);
  };
  const shown = () => discord.shown().map(({ content }) => content);
  const sees = (text: string) => expect.poll(shown, { timeout: 60_000 }).toContain(text);
  const sends = () => discord.calls.filter(({ method, path: at }) => method === "POST" && at.endsWith("/messages"));
  return { model, discord, home, write, start, shown, sees, sends };
}

const inGuild = (roles: readonly string[]) => ({ guild_id: "900", member: { roles } });

describe("people on Discord", { timeout: 120_000 }, () => {
  it("with an allowed role may write in its server, and in a direct chat; others may not [40:AUT-5] [40:A-AUT-12]", async () => {
    const { model, write, start, sees, shown } = await stage('allowed_roles: ["910"]');
    model.otherwise((request) => says(`Hello, ${/from (\d+)/u.exec(JSON.stringify(request.messages.at(-1)))?.[1]}.`));
    await start();
    write("8", "hello from 8", inGuild(["911"]));
    // The server that 8 has the role in is none of the bot's.
    write("8", "hello from 8");
    write("7", "hello from 7", inGuild(["910"]));
    await sees("Hello, 7.");
    write("7", "and here from 7");
    await expect.poll(() => shown().length, { timeout: 60_000 }).toBe(2);
    expect(shown()).toEqual(["Hello, 7.", "Hello, 7."]);
    expect(JSON.stringify(model.requests)).not.toContain("hello from 8");
  });

  it("find skills by typing, and call them by one command [40:CMD-8]", async () => {
    const { model, discord, start, sees } = await stage("allow_all_users: true", ["tea-making", "green-tea", "cake"]);
    await start();
    await expect.poll(() => discord.menu.names, { timeout: 60_000 }).toContain("skill");
    expect(discord.menu.names).not.toContain("cake");
    const by = {
      channel: { id: "700000000000000001" },
      user: { id: "7", username: "ann" },
      application_id: "42",
      token: "t",
    };
    const option = (name: string, value: string) => ({ type: 3, name, value });
    discord.dispatch("INTERACTION_CREATE", {
      ...{ ...by, id: "1", type: 4 },
      data: { type: 1, name: "skill", options: [{ ...option("name", "tea"), focused: true }] },
    });
    const answered = (id: string) =>
      discord.calls.find(({ path: at }) => at === `/interactions/${id}/t/callback`)?.body;
    await expect
      .poll(() => answered("1"), { timeout: 60_000 })
      .toMatchObject({
        type: 8,
        data: {
          choices: [
            { name: "tea-making", value: "tea-making" },
            { name: "green-tea", value: "green-tea" },
          ],
        },
      });
    model.script(says("Steeped."));
    discord.dispatch("INTERACTION_CREATE", {
      ...{ ...by, id: "2", type: 2 },
      data: { type: 1, name: "skill", options: [option("name", "green-tea"), option("arguments", "for two")] },
    });
    await sees("Steeped.");
    const asked = JSON.stringify(model.requests.at(-1)?.messages);
    expect(asked).toContain("With care.");
    expect(asked).toContain("for two");
  });
});

describe("an answer on Discord", { timeout: 120_000 }, () => {
  it("arrives though the message it refers to was deleted, and mentions nobody it may not [40:A-DC-4] [40:A-DC-5]", async () => {
    const { model, discord, write, start, shown, sends } = await stage("allow_all_users: true");
    model.script(says("Dear @everyone, here it is."));
    await start();
    discord.trouble({ status: 400, body: { message: "Unknown Message", code: 10_008 } });
    write("7", "hello");
    await expect.poll(shown, { timeout: 60_000 }).toEqual(["Dear @everyone, here it is."]);
    const [first, second, ...more] = sends().map(({ body }) => body);
    expect(more).toEqual([]);
    expect(first).toMatchObject({ message_reference: { message_id: "900000000000000001" } });
    expect(second).not.toHaveProperty("message_reference");
    expect(second?.["allowed_mentions"]).toMatchObject({ parse: expect.not.arrayContaining(["everyone", "roles"]) });
  });

  it("comes once to each message that was written while the line was broken [40:A-DC-6]", async () => {
    const { model, discord, write, start, sees, shown } = await stage("allow_all_users: true");
    model.otherwise((request) => says(`To ${/number (\d)/u.exec(JSON.stringify(request.messages.at(-1)))?.[1]}.`));
    await start();
    write("7", "number 1");
    await sees("To 1.");
    discord.dropSockets();
    write("8", "number 2", { channel_id: "700000000000000002" });
    write("9", "number 3", { channel_id: "700000000000000003" });
    await sees("To 2.");
    await sees("To 3.");
    expect(discord.resumed()).toBe(1);
    expect(shown().toSorted()).toEqual(["To 1.", "To 2.", "To 3."]);
  });
});
