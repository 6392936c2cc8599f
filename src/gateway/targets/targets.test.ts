import { afterEach, describe, expect, it } from "vitest";
import { defaultConfig } from "#config";
import { HermesHome } from "#foundation/files/paths";
import { systemClock } from "#foundation/time/clock";
import { runTool, testScope, toolContext } from "#tools/testing";
import { says } from "../../../test/fakes/model-server/index.ts";
import { discord } from "../adapters/discord/index.ts";
import { matrix } from "../adapters/matrix/index.ts";
import { slack } from "../adapters/slack/index.ts";
import { telegram } from "../adapters/telegram/index.ts";
import { Replies } from "../delivery/replies.ts";
import { closeGateways, gateway } from "../testing/gateway-harness.ts";
import { ChannelDirectory, findChannel, type ListedChannel } from "./directory.ts";
import { sendMessageTool } from "./send-message-tool.ts";
import { rememberAccount, resolveTarget } from "./target.ts";

afterEach(closeGateways);

const listed = (name: string, id: string): ListedChannel => ({ platform: "discord", id, name, type: "channel" });

describe("a target", () => {
  const deps = async () => {
    const config = await defaultConfig();
    const meta = { get: () => Promise.resolve("bot") } as never;
    const directory = { list: () => Promise.resolve([listed("eng", "111"), listed("eng-ops", "222")]) };
    return {
      configNow: () => Promise.resolve(config),
      store: { meta },
      platforms: [telegram, discord, slack],
      directory,
    };
  };

  it.each([
    ["telegram:-1001234567890:17865", { chatId: "-1001234567890", threadId: "17865" }],
    ["discord:#eng", { chatId: "111" }],
    ["discord:ENG-ops", { chatId: "222" }],
    ["origin", { chatId: "5", platform: "telegram" }],
  ])("%s means one chat [40:DLV-3] [40:DLV-15] [40:A-DLV-1]", async (word, expected) => {
    const origin = { platform: "telegram", chatId: "5" };
    expect(await resolveTarget({ word, origin }, await deps())).toMatchObject(expected);
  });

  it("of Matrix is a room with its server, and no thread [40:A-DLV-2]", async () => {
    const given = { ...(await deps()), platforms: [matrix] };
    const found = await resolveTarget({ word: "matrix:!abc:example.org" }, given);
    expect(found).toMatchObject({ platform: "matrix", chatId: "!abc:example.org" });
    expect(found).not.toHaveProperty("threadId", expect.anything());
  });

  it.each([
    ["discord:#en", "may be one of these: discord:111, discord:222"],
    ["discord:#nothing", 'no chat "#nothing"'],
    ["slack", "SLACK_HOME_CHANNEL"],
    ["foo:1", 'no platform "foo"'],
    ["matrix:!a:b", "matrix is not set up"],
  ])("%s is refused with the reason [40:DLV-4] [40:A-DLV-3] [40:A-DLV-5] [40:A-DLV-10]", async (word, reason) => {
    expect(await resolveTarget({ word }, await deps())).toContain(reason);
  });

  it("by name may say the kind or the guild [40:DLV-15]", () => {
    const channels = [
      { ...listed("general", "1"), guild: "Home" },
      { ...listed("general", "2"), guild: "Work" },
    ];
    expect(findChannel("work/general", channels)).toMatchObject({ kind: "found", channel: { id: "2" } });
    expect(findChannel("general (channel)", channels).kind).toBe("ambiguous");
  });
});

async function sending(options: { readonly allowed?: readonly string[] } = {}) {
  const world = await gateway();
  const { store, folder, logger, platform } = world;
  const initial = await defaultConfig();
  const config = { ...initial, messaging: { allowed_targets: options.allowed ?? [] } };
  const directory = new ChannelDirectory({ home: new HermesHome(folder), store, clock: systemClock });
  const replies = new Replies({
    prefix: () => "",
    mostTexts: () => 5,
    keepText: () => "",
    platform: () => platform,
    userHome: folder,
    filePolicy: () => ({ roots: [], secretFolder: folder }),
    replyMode: () => "first",
  });
  const users = { isAdmin: ({ userId }: { userId?: string | undefined }) => userId === "7" };
  await rememberAccount(store, "fake", "bot");
  const tool = sendMessageTool({
    configNow: () => Promise.resolve(config),
    store,
    platforms: [platform],
    directory,
    replies,
    users,
    clock: systemClock,
    logger,
  });
  const call = (args: Readonly<Record<string, unknown>>, context: Parameters<typeof toolContext>[0] = {}) =>
    runTool(tool, args, toolContext({ sessionId: "elsewhere", callId: "c1", ...context }));
  return { ...world, call };
}

describe("send_message", () => {
  it("writes into another chat, whose conversation hears of it with its next message [30:3.19] [40:DLV-10] [40:DLV-12] [40:A-DLV-7]", async () => {
    const { call, server, intake, message, start, heard, texts } = await sending();
    server.script(says("Hello."), says("Yes, that was me."));
    start();
    await intake.admit(message("hi"));
    await heard(1);
    const { content } = await call({ target: "fake:1", message: "The build is **done**." });
    expect(content).toMatchObject({ success: true, platform: "fake", chat_id: "1", message_id: "m2", mirrored: true });
    expect(texts().at(-1)).toBe("The build is **done**.");
    await intake.admit(message("was that you?"));
    await heard(3);
    const asked = JSON.stringify(server.requests.at(-1)?.body);
    expect(asked.split("The build is **done**.").length - 1).toBe(1);
    server.script(says("Once."));
    await intake.admit(message("ok"));
    await heard(4);
    const again = JSON.stringify(server.requests.at(-1)?.body);
    expect(again.split("The build is **done**.").length - 1).toBe(1);
  });

  it("lists the chats, and to those who are no admins only their own [30:3.19] [40:DLV-14]", async () => {
    const { call, server, intake, message, start, heard } = await sending();
    server.script(says("Hello."));
    start();
    await intake.admit(message("hi"));
    await heard(1);
    expect((await call({ action: "list" })).content).toContain("fake:1  Ann (dm)");
    const stranger = { scope: testScope({ userId: "8", source: "fake" }) };
    expect((await call({ action: "list" }, stranger)).content).not.toContain("Ann");
    await expect(call({ target: "fake:1", message: "boo" }, stranger)).rejects.toThrow("Only admins");
    const jobs = { scope: testScope({ source: "cron" }) };
    await expect(call({ target: "fake:1", message: "boo" }, jobs)).rejects.toThrow("Jobs deliver");
  });

  it("asks a person when words of strangers were read, and nobody means no; only allowed targets are written to [30:3.19]", async () => {
    const { call, sent } = await sending({ allowed: ["fake:1"] });
    await expect(call({ target: "fake:2", message: "hi" })).rejects.toThrow("allowed_targets");
    await expect(call({ target: "fake:1", message: "hi" }, { untrusted: "web" })).rejects.toThrow("Not done");
    expect(sent).toEqual([]);
  });
});
