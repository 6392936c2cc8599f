import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { loadPlatform } from "#gateway";
import type { Outbound } from "#gateway/testing";
import { missingSynapse, roomOf, type Synapse, standingIn, startSynapse } from "../../fakes/synapse/synapse.ts";
import { troubledWayTo } from "../../fakes/synapse/trouble.ts";
import { connectedTo, describePlatform } from "./suite.ts";

const platform = await loadPlatform("matrix");
const missing = missingSynapse();
if (missing !== undefined) process.stderr.write(`Matrix is not tried with a real server: ${missing}\n`);

let synapse: Synapse;

async function startKit() {
  const way = await troubledWayTo(synapse.url);
  const [ada, bot] = [await synapse.person("ada"), await synapse.person("hermes")];
  const room = await roomOf(ada, [bot], { is_direct: true });
  let [said, count] = [Promise.resolve<unknown>(undefined), 0];
  const write = (content: () => Promise<object>): void => {
    count += 1;
    const at = `/rooms/${encodeURIComponent(room)}/send/m.room.message/t${count}`;
    said = said.then(async () => await ada.call("PUT", at, await content()));
  };
  return {
    ada,
    bot,
    room,
    env: { MATRIX_HOMESERVER: way.url, MATRIX_ACCESS_TOKEN: bot.token },
    wrongEnv: { MATRIX_HOMESERVER: way.url, MATRIX_ACCESS_TOKEN: "wrong" },
    settings: {} as Record<string, unknown>,
    chatId: room,
    say: (body: string) => write(() => Promise.resolve({ msgtype: "m.text", body })),
    repeat: () => way.repeat(),
    sendFile: (bytes: Buffer, body: string) =>
      write(async () => {
        const answer = await fetch(`${synapse.url}/_matrix/media/v3/upload`, {
          method: "POST",
          body: new Uint8Array(bytes),
          headers: { authorization: `Bearer ${ada.token}` },
        });
        const { content_uri: url } = (await answer.json()) as { content_uri: string };
        return { msgtype: "m.file", body, url };
      }),
    /** Everything said so far is on the server. */
    settled: async () => void (await said),
    shown: way.shown,
    nextSend: way.nextSend,
    deliversEach: true,
    sends: way.sends,
    breakConnection: () => way.breakConnections(),
    async [Symbol.asyncDispose]() {
      await said;
      await way[Symbol.asyncDispose]();
    },
  };
}

describe.skipIf(missing !== undefined)("on a real Synapse", { timeout: 240_000 }, () => {
  beforeAll(async () => {
    synapse = await startSynapse();
  }, 180_000);
  afterAll(() => synapse?.[Symbol.asyncDispose]());

  describePlatform(platform, startKit);

  const words = (text: string): Outbound => ({ kind: "text", body: { text, plain: text } });
  const at = (key: string) => ({ key, signal: never });

  it("a mention in a room opens a thread, and the answer stands in it; edits of others are no messages [40:A-MX-3]", async () => {
    await using kit = await startKit();
    const third = await synapse.person("bob");
    const room = await roomOf(kit.ada, [kit.bot, third]);
    await using connected = await connectedTo(platform, kit);
    const put = async (key: string, content: object) =>
      String(
        (await kit.ada.call("PUT", `/rooms/${encodeURIComponent(room)}/send/m.room.message/${key}`, content))[
          "event_id"
        ],
      );
    await put("a", { msgtype: "m.text", body: "talk among us" });
    const asked = await put("b", { msgtype: "m.text", body: "you?", "m.mentions": { user_ids: [kit.bot.id] } });
    const relation = { rel_type: "m.replace", event_id: asked };
    await put("c", { msgtype: "m.text", body: "* you!", "m.new_content": { body: "you!" }, "m.relates_to": relation });
    kit.say("the end");
    await expect
      .poll(() => connected.ports.admitted.map(({ text }) => text), { timeout: 30_000 })
      .toEqual(["you?", "the end"]);
    expect(connected.ports.admitted[0]?.source).toMatchObject({ chatId: room, chatType: "group", threadId: asked });
    const to = { platform: "matrix", account: "", chatId: room, threadId: asked };
    const sent = await connected.connection.send(to, words("one"), at("k1"));
    const messageId = sent.kind === "sent" ? (sent.messageId ?? "") : "";
    const edit: Outbound = { kind: "edit", messageId, body: { text: "two", plain: "two" }, isFinal: true };
    await connected.connection.send(to, edit, at("k2"));
    const standing = await standingIn(room, kit.ada);
    expect(standing.at(-2)).toMatchObject({ body: "one", "m.relates_to": { rel_type: "m.thread", event_id: asked } });
    expect(standing.at(-1)).toMatchObject({
      "m.new_content": { body: "two" },
      "m.relates_to": { event_id: messageId },
    });
  });

  it("a file goes out and can be fetched by whoever is in the room", async () => {
    await using kit = await startKit();
    await using connected = await connectedTo(platform, kit);
    const file = path.join(tmpdir(), `hermes-synapse-${process.pid}.txt`);
    await writeFile(file, "some notes");
    const to = { platform: "matrix", account: "", chatId: kit.room };
    const message: Outbound = { kind: "media", media: "document", file, name: "notes.txt" };
    expect(await connected.connection.send(to, message, at("f1"))).toMatchObject({ kind: "sent" });
    const [sent] = (await standingIn(kit.room, kit.ada)).slice(-1);
    const url = `${synapse.url}/_matrix/client/v1/media/download/${String(sent?.["url"]).slice("mxc://".length)}`;
    const bytes = await fetch(url, { headers: { authorization: `Bearer ${kit.ada.token}` } });
    expect(await bytes.text()).toBe("some notes");
  });

  it("what was said while nobody listened is heard from the stored token, more than one page of it [40:A-MX-1]", async () => {
    await using kit = await startKit();
    const positions = await connectedTo(platform, kit).then(async (first) => {
      kit.say("before");
      await expect.poll(() => first.ports.admitted.length, { timeout: 30_000 }).toBe(1);
      await first[Symbol.asyncDispose]();
      return first.ports.positions;
    });
    const said = Array.from({ length: 60 }, (_, index) => `missed ${index}`);
    for (const text of said) kit.say(text);
    await kit.settled();
    await using later = await connectedTo(platform, kit, positions);
    const heard = () => later.ports.admitted.map(({ text }) => text).filter((text) => text !== "before");
    await expect.poll(() => heard().length, { timeout: 60_000 }).toBe(said.length);
    expect(heard()).toEqual(said);
  });

  it("an invitation is accepted from whom the settings name, and from nobody else", async () => {
    await using kit = await startKit();
    const stranger = await synapse.person("mallory");
    await using connected = await connectedTo(platform, { ...kit, settings: { "matrix.allowed_users": [kit.ada.id] } });
    const invited = { preset: "private_chat", invite: [kit.bot.id], is_direct: true };
    const theirs = String((await stranger.call("POST", "/createRoom", invited))["room_id"]);
    const ours = String((await kit.ada.call("POST", "/createRoom", invited))["room_id"]);
    const rooms = async () => (await kit.bot.call("GET", "/joined_rooms"))["joined_rooms"];
    await expect.poll(rooms, { timeout: 30_000 }).toContain(ours);
    expect(await rooms()).not.toContain(theirs);
    expect(connected.connection.account.id).toBe(kit.bot.id);
  });
});
