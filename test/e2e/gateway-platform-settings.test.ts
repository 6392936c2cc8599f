import { afterEach, describe, expect, it } from "vitest";
import { Scope } from "#foundation/lifecycle/disposal";
import { says, slow, startModelServer } from "../fakes/model-server/index.ts";
import { startDiscordServer } from "../fakes/platforms/discord-server.ts";
import { startSlackServer } from "../fakes/platforms/slack-server.ts";
import { startTelegramServer } from "../fakes/platforms/telegram-server.ts";
import { Stage } from "./support/stage.ts";

const scopes: Scope[] = [];
afterEach(async () => {
  for (const scope of scopes.splice(0)) await scope[Symbol.asyncDispose]();
});

type Urls = Readonly<Record<"telegram" | "discord" | "slack", string>>;

async function stage(settings: (urls: Urls) => readonly string[]) {
  const scope = new Scope();
  scopes.push(scope);
  const model = scope.adopt(await startModelServer());
  const telegram = scope.adopt(await startTelegramServer());
  const discord = scope.adopt(await startDiscordServer());
  const slack = scope.adopt(await startSlackServer());
  const config = [
    `model: { provider: custom, default: test-model, base_url: "${model.chatBaseUrl}", context_length: 128000 }`,
    "auxiliary: { title_generation: { enabled: false } }",
    ...settings({ telegram: telegram.url, discord: discord.url, slack: slack.url }),
  ].join("\n");
  const tokens = {
    telegram: `TELEGRAM_BOT_TOKEN=${telegram.token}\n`,
    discord: `DISCORD_BOT_TOKEN=${discord.token}\n`,
    slack: `SLACK_BOT_TOKEN=${slack.botToken}\nSLACK_APP_TOKEN=${slack.appToken}\n`,
  };
  const open = async (...platforms: readonly (keyof typeof tokens)[]): Promise<Stage> =>
    scope.adopt(await Stage.open({ config, env: platforms.map((one) => tokens[one]).join("") }));
  return { model, telegram, discord, slack, open };
}

const photo = (telegram: { file(bytes: Buffer): string }, group: string) => {
  const id = telegram.file(Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"));
  return { text: undefined, media_group_id: group, photo: [{ file_id: id, file_unique_id: id, width: 1, height: 1 }] };
};

describe("settings of Telegram", { timeout: 120_000 }, () => {
  it("pictures wait as long as the setting says for the rest of their album [40:FLW-31]", async () => {
    const { model, telegram, open } = await stage(({ telegram: url }) => [
      `telegram: { base_url: "${url}", allowed_users: ["7"], media_batch_delay_seconds: 4 }`,
    ]);
    model.otherwise(() => says("Nice."));
    (await open("telegram")).start(["gateway", "run"]);
    telegram.text("", { more: { ...photo(telegram, "g"), caption: "look" } });
    // Longer than the usual wait, shorter than this one.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    telegram.text("", { more: photo(telegram, "g") });
    await expect.poll(() => telegram.shown().map(({ text }) => text), { timeout: 60_000 }).toEqual(["Nice."]);
    expect(model.requests).toHaveLength(1);
  });

  it("words that come soon after a turn began do not stop it; they are answered next [40:FLW-21]", async () => {
    const { model, telegram, open } = await stage(({ telegram: url }) => [
      `telegram: { base_url: "${url}", allowed_users: ["7"], followup_grace_seconds: 600 }`,
    ]);
    model.script(slow(says("The first answer.")), says("The second answer."));
    (await open("telegram")).start(["gateway", "run"]);
    telegram.text("first");
    await model.received(1);
    const id = telegram.text("and this, too");
    await expect.poll(() => telegram.confirmedUpTo(), { timeout: 60_000 }).toBeGreaterThanOrEqual(id);
    model.release(Number.POSITIVE_INFINITY);
    await expect
      .poll(() => telegram.shown().map(({ text }) => text), { timeout: 60_000 })
      .toEqual(["The first answer.", "The second answer."]);
  });

  it("is found at its fallback addresses where its name is not known, by its name [40:CFG-1]", async () => {
    const { model, telegram, open } = await stage(({ telegram: url }) => [
      `telegram: { base_url: "http://telegram-is-blocked.invalid:${new URL(url).port}", allowed_users: ["7"] }`,
    ]);
    model.otherwise(() => says("Through."));
    (await open("telegram")).start(["gateway", "run"], { env: { TELEGRAM_FALLBACK_IPS: "127.0.0.1" } });
    telegram.text("hello");
    await expect.poll(() => telegram.shown().map(({ text }) => text), { timeout: 60_000 }).toEqual(["Through."]);
  });

  it("what grows in a chat is bounded, and the answer comes whole [40:SCL-19]", async () => {
    const { model, telegram, open } = await stage(({ telegram: url }) => [
      `telegram: { base_url: "${url}", allowed_users: ["7"] }`,
      "streaming: { enabled: true }",
      "gateway: { limits: { stream_buffer_bytes: 12 } }",
    ]);
    model.script(slow(says("One two three four five six seven.")));
    (await open("telegram")).start(["gateway", "run"]);
    telegram.text("count");
    await model.received(1);
    model.release(1_000);
    const texts = () => telegram.shown().map(({ text }) => text);
    await expect.poll(texts, { timeout: 60_000 }).toEqual(["One two three four five six seven."]);
    const grown = telegram.calls.flatMap(({ body }) => {
      const text = typeof body["text"] === "string" ? body["text"] : "";
      return text.includes("▉") ? [text] : [];
    });
    for (const text of grown) expect(text.length).toBeLessThanOrEqual(16);
  });
});

describe("settings of Discord", { timeout: 120_000 }, () => {
  const run = async (policy: string) => {
    const { discord, open } = await stage(({ discord: url }) => [
      `discord: { base_url: "${url}", allow_all_users: true, command_sync_policy: ${policy} }`,
    ]);
    const home = await open("discord");
    /** `calls`: how many for the menu have been made by then, in all starts. */
    const startAndEnd = async (times: number, calls: number): Promise<void> => {
      const child = home.start(["gateway", "run"]);
      await expect.poll(() => discord.identified() + discord.resumed(), { timeout: 60_000 }).toBe(times);
      await expect.poll(() => menuCalls(discord).length, { timeout: 60_000 }).toBe(calls);
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      await ended;
    };
    return { discord, startAndEnd };
  };
  const menuCalls = (discord: Awaited<ReturnType<typeof startDiscordServer>>) =>
    discord.calls.filter(({ path }) => path === "/applications/42/commands");

  it("its commands are written when they differ, and left alone when they are right [40:CMD-8] [20:R9.1]", async () => {
    const { discord, startAndEnd } = await run("safe");
    // A look, and what is written because of it.
    await startAndEnd(1, 2);
    expect(discord.menu.writes).toBe(1);
    // The commands that chats have, of the one list that help and completion are made from.
    expect(discord.menu.names).toEqual(expect.arrayContaining(["new", "model", "status", "stop", "queue", "help"]));
    for (const ofTheTerminal of ["quit", "clear", "image", "verbose"])
      expect(discord.menu.names).not.toContain(ofTheTerminal);
    await startAndEnd(2, 3);
    expect(discord.menu.writes).toBe(1);
  });

  it("its commands are written at every start, or never, where the setting says so [40:CMD-8]", async () => {
    const bulk = await run("bulk");
    await bulk.startAndEnd(1, 1);
    await bulk.startAndEnd(2, 2);
    expect(bulk.discord.menu.writes).toBe(2);
    const off = await run("off");
    await off.startAndEnd(1, 0);
    expect(menuCalls(off.discord)).toEqual([]);
  });
});

describe("settings of Slack", { timeout: 120_000 }, () => {
  const said = (more: Record<string, unknown>) => ({
    type: "message",
    channel: "C0000000001",
    channel_type: "channel",
    user: "U7",
    team: "T1",
    ...more,
  });

  it("what is said in a channel is answered in the channel, and in a thread in the thread", async () => {
    const { model, slack, open } = await stage(({ slack: url }) => [
      `slack: { base_url: "${url}", allow_all_users: true, require_mention: false, reply_in_thread: false }`,
    ]);
    model.script(says("In the channel."), says("In the thread."));
    (await open("slack")).start(["gateway", "run"]);
    const shown = () => slack.shown().map(({ text, thread_ts: thread }) => [text, thread]);
    slack.event(said({ ts: "1690001.000100", text: "hello" }));
    await expect.poll(shown, { timeout: 60_000 }).toEqual([["In the channel.", undefined]]);
    slack.event(said({ ts: "1690002.000100", thread_ts: "1690000.000100", text: "and here?" }));
    await expect.poll(shown, { timeout: 60_000 }).toEqual([
      ["In the channel.", undefined],
      ["In the thread.", "1690000.000100"],
    ]);
  });
});
