import { expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { loadPlatform } from "#gateway";
import { freePort } from "../../fakes/free-port.ts";
import { startWecomServer } from "../../fakes/platforms/wecom-server.ts";
import { connectedTo, describePlatform } from "./suite.ts";

const platform = await loadPlatform("wecom_callback");

async function startKit() {
  const port = await freePort();
  const server = await startWecomServer(`http://127.0.0.1:${port}/wecom/callback`);
  const [one, two] = server.apps;
  const env = {
    WECOM_CALLBACK_CORP_ID: one.corpId,
    WECOM_CALLBACK_CORP_SECRET: one.corpSecret,
    WECOM_CALLBACK_AGENT_ID: "1000002",
    WECOM_CALLBACK_TOKEN: one.token,
    WECOM_CALLBACK_ENCODING_AES_KEY: one.encodingKey,
    WECOM_CALLBACK_HOST: "127.0.0.1",
    WECOM_CALLBACK_PORT: String(port),
  };
  const other = {
    corp_id: two.corpId,
    corp_secret: two.corpSecret,
    agent_id: "1000003",
    token: two.token,
    encoding_aes_key: two.encodingKey,
  };
  return {
    server,
    env,
    wrongEnv: { ...env, WECOM_CALLBACK_CORP_SECRET: "wrong" },
    settings: { "wecom_callback.base_url": server.url, "wecom_callback.apps": [other] },
    chatId: `${one.corpId}:alice`,
    say: (text: string) => server.message(text),
    repeat: () => server.repeat(),
    shown: server.shown,
    nextSend: server.nextSend,
    deliversEach: true,
    sends: server.sends,
    breakConnection: () => undefined,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

describePlatform(platform, startKit);

it("calls that were missed and come again in any order are taken in the order in which they were written", async () => {
  await using kit = await startKit();
  const first = await connectedTo(platform, kit);
  await first[Symbol.asyncDispose]();
  for (const [word, seconds] of [
    ["three", 3],
    ["one", 1],
    ["two", 2],
  ] as const)
    kit.server.message(word, kit.server.apps[0], "alice", new Date(1_700_000_000_000 + seconds * 1000));
  await using second = await connectedTo(platform, kit, first.ports.positions);
  const texts = () => second.ports.admitted.map(({ text }) => text);
  await expect.poll(texts, { timeout: 15_000 }).toEqual(["one", "two", "three"]);
});

it("wrong signatures are refused, right ones answered [40:A-WK-2]", async () => {
  await using kit = await startKit();
  await using at = await connectedTo(platform, kit);
  const { url, body } = kit.server.call("<xml><MsgType>event</MsgType></xml>", kit.server.apps[0]);
  const post = async (to: string) => await fetch(to, { method: "POST", body });
  expect(await (await post(url)).text()).toBe("success");
  expect((await post(url.replace("nonce=n1", "nonce=n2"))).status).toBe(403);
  expect(at.ports.admitted).toEqual([]);
});

it("every corporation is answered by its own app, with a fresh token when the old one is stale [40:A-WK-3]", async () => {
  await using kit = await startKit();
  await using at = await connectedTo(platform, kit);
  kit.server.message("hello", kit.server.apps[1]);
  await expect.poll(() => at.ports.admitted.map(({ source }) => source.chatId)).toEqual(["wwtwo:alice"]);
  kit.server.expireTokens();
  const to = { platform: "wecom_callback", account: "", chatId: "wwtwo:alice" };
  const message = { kind: "text", body: { text: "hi", plain: "hi" } } as const;
  expect(await at.connection.send(to, message, { key: "k", signal: never })).toMatchObject({ kind: "sent" });
  expect(kit.server.senders()).toEqual(["wwtwo"]);
});
