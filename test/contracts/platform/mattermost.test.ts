import { expect, it } from "vitest";
import { loadPlatform } from "#gateway";
import { mattermostChannels, startMattermostServer } from "../../fakes/platforms/mattermost-server.ts";
import { connectedTo, describePlatform, type PlatformKit } from "./suite.ts";

const platform = await loadPlatform("mattermost");

async function startKit(): Promise<PlatformKit> {
  const server = await startMattermostServer();
  return {
    env: { MATTERMOST_URL: server.url, MATTERMOST_TOKEN: server.token },
    wrongEnv: { MATTERMOST_URL: server.url, MATTERMOST_TOKEN: "wrong-token" },
    settings: {},
    chatId: mattermostChannels.direct,
    say: (message) => server.post({ message }),
    repeat: () => server.repeat(),
    sendFile: (bytes, name) => {
      const id = server.file(bytes);
      const files = [{ id, name, mime_type: "application/pdf", size: bytes.length }];
      server.post({ file_ids: [id], metadata: { files } });
    },
    shown: () =>
      server.shown().map(({ message, file_ids: files }) => (files === undefined ? String(message) : "[file]")),
    nextSend: server.nextSend,
    sends: server.sends,
    deliversAgain: true,
    breakConnection: () => server.dropSockets(),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

describePlatform(platform, startKit);

it("what is said after the very first start is not missed, though nothing was heard before it ended [40:SCL-5]", async () => {
  await using kit = await startKit();
  kit.say("from before");
  const first = await connectedTo(platform, kit);
  await first[Symbol.asyncDispose]();
  kit.say("while nobody listened");
  await using second = await connectedTo(platform, kit, first.ports.positions);
  await expect.poll(() => second.ports.admitted.map(({ text }) => text)).toEqual(["while nobody listened"]);
});

it("a login that is refused is final: it is asked once [40:A-MM-3]", async () => {
  await using server = await startMattermostServer();
  const env = { MATTERMOST_URL: server.url, MATTERMOST_TOKEN: "wrong-token" };
  const refused = { name: "ConnectionError", isRetryable: false };
  await expect(connectedTo(platform, { env, settings: {} })).rejects.toMatchObject(refused);
  expect(server.calls.length).toBe(1);
});

it("posts of the time without a socket are all taken in, in their order [40:A-MM-4]", async () => {
  await using kit = await startKit();
  await using at = await connectedTo(platform, kit);
  kit.say("before");
  await expect.poll(() => at.ports.admitted.length).toBe(1);
  kit.breakConnection();
  kit.say("first");
  kit.say("second");
  await expect
    .poll(() => [...new Map(at.ports.admitted.map(({ dedupKey, text }) => [dedupKey, text])).values()], {
      timeout: 15_000,
    })
    .toEqual(["before", "first", "second"]);
});
