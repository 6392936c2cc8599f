import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { systemClock } from "#foundation/time/clock";
import { loadPlatform, type Platform } from "#gateway";
import { serveDevice } from "#gateway/testing";
import { freePort } from "../../fakes/free-port.ts";
import type { Fields } from "../../fakes/platforms/fake-service.ts";
import { FakeBaileys } from "../../fakes/platforms/whatsapp-device.ts";
import { connectedTo, describePlatform } from "./suite.ts";

type Config = Parameters<NonNullable<Platform["variantFor"]>>[0];
const chosen = { whatsapp: { backend: "bridge" } } as Config;
const platform = await (await loadPlatform("whatsapp"))?.variantFor?.(chosen);
const token = "bridge-word-0001";
const alice = "15551112222@s.whatsapp.net";
const own = "4915100000001@s.whatsapp.net";

/** The bridge of Hermes itself, over a Baileys without WhatsApp behind it. */
async function startBridge(options: { readonly isLinked?: boolean; readonly number?: string } = {}) {
  const folder = await mkdtemp(path.join(tmpdir(), "hermes-device-"));
  const baileys = new FakeBaileys();
  const url = `http://127.0.0.1:${await freePort()}`;
  const logger = memoryLogger();
  const said: string[] = [];
  let stop = new AbortController();
  let running = Promise.resolve();
  const start = async (): Promise<void> => {
    stop = new AbortController();
    running = serveDevice(
      { baileys, drawn: (code) => `▄▀▄ ${code} ▄▀▄` },
      {
        config: { whatsapp: { bridge_url: url, base_url: "" } } as Config,
        token,
        folders: { session: path.join(folder, "session"), packages: folder },
        number: options.number,
        clock: systemClock,
        logger,
        show: (text) => void said.push(text),
      },
      stop.signal,
    );
    await baileys.opened();
  };
  const end = async (): Promise<void> => {
    stop.abort();
    await running;
  };
  await start();
  if (options.isLinked !== false) baileys.connect();
  const ask = async (call: string, body?: Fields): Promise<Fields> => {
    // A kept connection would be one of the bridge before.
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", connection: "close" };
    const answer = await fetch(`${url}${call}`, {
      headers,
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
    });
    return { status: answer.status, ...((await answer.json()) as Fields) };
  };
  return {
    baileys,
    url,
    folder,
    said,
    logger,
    start,
    end,
    ask,
    async [Symbol.asyncDispose]() {
      await end();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

let count = 0;
function said(message: Fields, key: Fields = {}): Fields {
  count += 1;
  const from = { remoteJid: alice, fromMe: false, id: `IN${count}` };
  return { key: { ...from, ...key }, message, messageTimestamp: 1_700_000_000, pushName: "Alice" };
}

/** What phones show: a message of a known id once, and edits in its place. */
function shownBy({ sent }: FakeBaileys): readonly string[] {
  const shown = new Map<string, string>();
  for (const { content, options } of sent) {
    const { id = options["messageId"] } = (content["edit"] ?? {}) as Fields;
    const words = String(content["text"] ?? content["caption"] ?? "");
    shown.set(String(id), "document" in content ? `[file] ${words}`.trim() : words);
  }
  return [...shown.values()];
}

const troubles = { "rate-limited": 429, "refused-markup": 406, "accept-then-cut": 428, cut: 503 } as const;

async function startKit() {
  const bridge = await startBridge();
  const { baileys } = bridge;
  let last: Fields = {};
  const waiting: Fields[] = [];
  let isOpen = true;
  const say = (message: Fields): void => {
    last = said(message);
    if (isOpen) baileys.receive(last);
    else waiting.push(last);
  };
  const env = { WHATSAPP_BACKEND: "bridge", WHATSAPP_BRIDGE_URL: bridge.url, WHATSAPP_BRIDGE_TOKEN: token };
  return {
    env,
    wrongEnv: { ...env, WHATSAPP_BRIDGE_TOKEN: "another-word" },
    settings: { "whatsapp.mode": "bot" },
    chatId: alice,
    say: (text: string) => say({ conversation: text }),
    repeat: () => baileys.receive(last),
    sendFile(bytes: Buffer, fileName: string) {
      const mediaKey = Buffer.from("the key of a file");
      say({ documentMessage: { url: "https://mmg.example/f", mimetype: "application/pdf", fileName, mediaKey } });
      baileys.files.set(String((last["key"] as Fields)["id"]), bytes);
    },
    shown: () => shownBy(baileys),
    nextSend: (trouble: keyof typeof troubles) =>
      void baileys.troubles.push({ status: troubles[trouble], isSent: trouble === "accept-then-cut" }),
    sends: () => baileys.sent.length,
    breakConnection() {
      isOpen = false;
      baileys.close(428);
      void baileys.opened().then(() => {
        baileys.connect();
        isOpen = true;
        baileys.receive(...waiting.splice(0));
      });
    },
    deliversAgain: true,
    [Symbol.asyncDispose]: () => bridge[Symbol.asyncDispose](),
  };
}

describePlatform(platform, startKit);

it("reads what people send: words, captions, replies, names, voices, and who hides behind an id", async () => {
  await using bridge = await startBridge();
  const quotedMessage = { conversation: "before" };
  const contextInfo = { stanzaId: "OUT1", participant: own, quotedMessage, mentionedJid: [own] };
  const hidden = { remoteJid: "777@lid", remoteJidAlt: alice };
  const group = { remoteJid: "1203630001@g.us", participant: "777:3@lid", participantAlt: alice };
  bridge.baileys.receive(
    said({ extendedTextMessage: { text: "as a reply", contextInfo } }, group),
    said({ ephemeralMessage: { message: { imageMessage: { caption: "look", mimetype: "image/jpeg" } } } }),
    said({ audioMessage: { ptt: true, mimetype: "audio/ogg; codecs=opus", fileLength: "1200" } }, hidden),
    said({ locationMessage: { degreesLatitude: 52.5, degreesLongitude: 13.4, name: "Park" } }),
    said({ reactionMessage: { text: "👍" } }),
    said({ protocolMessage: { type: 0 } }),
    said({ conversation: "mine" }, { fromMe: true }),
  );
  const { messages } = (await bridge.ask("/messages?after=&wait=0")) as { messages: Fields[] };
  expect(messages).toMatchObject([
    {
      chatId: "1203630001@g.us",
      senderId: "777:3@lid",
      senderPhone: "15551112222",
      text: "as a reply",
      mentions: [own],
      quoted: { id: "OUT1", senderId: own, text: "before" },
      timestamp: 1_700_000_000,
    },
    { text: "look", senderName: "Alice", media: [{ type: "image", mime: "image/jpeg" }] },
    { chatId: "777@lid", senderPhone: "15551112222", media: [{ type: "voice", size: 1200 }] },
    { text: "[Location] Park: 52.5, 13.4" },
    { text: "mine", fromMe: true, senderId: own },
  ]);
});

it("sends files of every kind as WhatsApp takes them, and words beside a sound on their own", async () => {
  await using bridge = await startBridge();
  const file = path.join(bridge.folder, "some.ogg");
  await writeFile(file, "bytes");
  for (const type of ["image", "video", "audio", "voice", "document"])
    await bridge.ask("/send-media", {
      chatId: alice,
      key: `k-${type}`,
      type,
      path: file,
      name: "a.bin",
      caption: type,
    });
  const url = { url: file };
  const opus = "audio/ogg; codecs=opus";
  expect(bridge.baileys.sent.map(({ content }) => content)).toEqual([
    { image: url, caption: "image" },
    { video: url, caption: "video" },
    { audio: url, mimetype: opus },
    { text: "audio", linkPreview: null },
    { audio: url, mimetype: opus, ptt: true },
    { text: "voice", linkPreview: null },
    { document: url, fileName: "a.bin", mimetype: "application/octet-stream", caption: "document" },
  ]);
  const missing = { chatId: alice, key: "k", type: "image", path: path.join(bridge.folder, "none") };
  expect(await bridge.ask("/send-media", missing)).toMatchObject({ status: 404 });
  expect(await bridge.ask("/send", { chatId: "../../etc", key: "k", text: "x" })).toMatchObject({ status: 404 });
});

it("keeps messages until they were taken in, and keys that were sent, when it is ended and started again", async () => {
  await using bridge = await startBridge();
  bridge.baileys.receive(said({ conversation: "one" }), said({ conversation: "two" }));
  const first = (await bridge.ask("/messages?after=&wait=0")) as { messages: { cursor: string; text: string }[] };
  expect(first.messages.map(({ text }) => text)).toEqual(["one", "two"]);
  const sending = { chatId: alice, key: "k1", text: "an answer" };
  const { id } = await bridge.ask("/send", sending);
  await bridge.end();
  await bridge.start();
  bridge.baileys.connect();
  const after = first.messages[0]?.cursor ?? "";
  const again = (await bridge.ask(`/messages?after=${after}&wait=0`)) as { messages: Fields[] };
  expect(again.messages.map(({ text }) => text)).toEqual(["two"]);
  expect(await bridge.ask("/send", sending)).toMatchObject({ id });
  expect(bridge.baileys.sent.length).toBe(1);
  // The echo of what was sent here carries its key, so that it is known as our own.
  bridge.baileys.receive(said({ conversation: "an answer" }, { id, fromMe: true, remoteJid: own }));
  const echo = (await bridge.ask("/messages?after=999&wait=0")) as { messages: Fields[] };
  expect(echo.messages.at(-1)).toMatchObject({ id, key: "k1" });
  const { mode } = await stat(path.join(bridge.folder, "session"));
  expect((mode & 0o777).toString(8)).toBe("700");
  expect(((await stat(path.join(bridge.folder, "session", "device.sqlite"))).mode & 0o777).toString(8)).toBe("600");
});

it("shows a code to scan and one to type in, keeps the account's keys, and forgets them when it is unlinked [40:A-WB-3]", async () => {
  await using bridge = await startBridge({ isLinked: false, number: "4915100000001" });
  bridge.baileys.emit("connection.update", { qr: "2@ref,key" });
  await expect
    .poll(() => bridge.ask("/health"))
    .toMatchObject({
      state: "pairing",
      pairing: { qr: "▄▀▄ 2@ref,key ▄▀▄", code: "CODE0001" },
    });
  expect(bridge.said.join("\n")).toContain("▄▀▄ 2@ref,key ▄▀▄");
  expect(bridge.said.join("\n")).toContain("WhatsApp may block the account");
  const keysOf = (index: number) =>
    bridge.baileys.configs[index]?.["auth"] as {
      creds: Fields;
      keys: { get(type: string, ids: string[]): Fields; set(data: Fields): void };
    };
  const [first] = [keysOf(0)];
  Object.assign(first.creds, { registered: true });
  bridge.baileys.emit("creds.update", { registered: true });
  first.keys.set({
    session: { alice: Buffer.from("state") },
    "app-state-sync-key": { a: { keyData: Buffer.from("k") } },
  });
  // WhatsApp asks for a new connection once the device is linked.
  bridge.baileys.close(515);
  await bridge.baileys.opened();
  bridge.baileys.connect();
  const second = keysOf(1);
  expect(second.creds).toMatchObject({ registered: true, noiseKey: Buffer.from("a key of the device") });
  expect(second.keys.get("session", ["alice", "nobody"])).toEqual({ alice: Buffer.from("state") });
  expect(await bridge.ask("/health")).toMatchObject({
    state: "connected",
    account: { id: own, lid: "99900011@lid", name: "Owner" },
  });
  const waiting = bridge.ask("/messages?after=&wait=20");
  bridge.baileys.close(401);
  expect(await waiting).toMatchObject({ state: "logged_out" });
  expect(await bridge.ask("/send", { chatId: alice, key: "k", text: "x" })).toMatchObject({ status: 503 });
  await bridge.ask("/pair", {});
  await bridge.baileys.opened();
  expect(keysOf(2).creds).toMatchObject({ registered: false });
  expect(keysOf(2).keys.get("session", ["alice"])).toEqual({});
  expect(JSON.stringify(bridge.logger.lines)).not.toContain(token);
});

it("quotes what is replied to, and shows that it writes", async () => {
  await using bridge = await startBridge();
  const question = said({ conversation: "why?" });
  bridge.baileys.receive(question);
  const { id } = question["key"] as { id: string };
  await bridge.ask("/typing", { chatId: alice });
  await bridge.ask("/send", { chatId: alice, key: "k", text: "because", replyTo: id });
  expect(bridge.baileys.typing).toEqual([alice]);
  expect(bridge.baileys.sent[0]?.options["quoted"]).toEqual(question);
  await using at = await connectedTo(platform, {
    env: { WHATSAPP_BACKEND: "bridge", WHATSAPP_BRIDGE_URL: bridge.url, WHATSAPP_BRIDGE_TOKEN: token },
    settings: { "whatsapp.mode": "bot" },
  });
  await expect.poll(() => at.ports.admitted.map(({ text }) => text)).toEqual(["why?"]);
  const to = { platform: "whatsapp", account: own, chatId: alice };
  const body = { text: "grown", plain: "grown" };
  await at.connection.send(to, { kind: "edit", messageId: "OUT", body, isFinal: true }, { key: "e", signal: never });
  expect(bridge.baileys.sent.at(-1)?.content).toEqual({
    text: "grown",
    linkPreview: null,
    edit: { remoteJid: alice, fromMe: true, id: "OUT" },
  });
});
