import { once } from "node:events";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { Scope } from "#foundation/lifecycle/disposal";
import { calls, says, startModelServer } from "../fakes/model-server/index.ts";
import { startTelegramServer } from "../fakes/platforms/telegram-server.ts";
import { type FakeAnswer, FakeWebServer } from "../fakes/web-server/index.ts";
import { Stage } from "./support/stage.ts";

const scopes: Scope[] = [];
afterEach(async () => {
  for (const scope of scopes.splice(0)) await scope[Symbol.asyncDispose]();
});

const sound: FakeAnswer = { body: Buffer.from("OggS spoken"), headers: { "content-type": "audio/ogg" } };

/** A gateway whose voice is a service on this machine. */
async function stage(voice: () => FakeAnswer = () => sound) {
  const scope = new Scope();
  scopes.push(scope);
  const model = scope.adopt(await startModelServer());
  const telegram = scope.adopt(await startTelegramServer());
  const speech = scope.adopt(await FakeWebServer.start({ "/v1/audio/speech": voice }));
  const config = [
    `model: { provider: custom, default: test-model, base_url: "${model.chatBaseUrl}", context_length: 128000, key_env: TEA_KEY }`,
    `telegram: { base_url: "${telegram.url}", allowed_users: ["7"] }`,
    "display: { tool_progress: off }",
    "streaming: { enabled: false }",
    "auxiliary: { title_generation: { enabled: false } }",
    `tts: { provider: openai, openai: { base_url: "${speech.origin}/v1" } }`,
    'stt: { provider: local, local: { command: [echo, "what is for tea?"] } }',
  ].join("\n");
  const env = `TELEGRAM_BOT_TOKEN=${telegram.token}\nTEA_KEY=k\nVOICE_TOOLS_OPENAI_KEY=voice-key\n`;
  const home = scope.adopt(await Stage.open({ config, env }));
  const shown = () => telegram.shown().map(({ text }) => text);
  const sees = (...texts: readonly string[]) => expect.poll(shown, { timeout: 60_000 }).toEqual(texts);
  const spoken = () => speech.seen.map(({ json }) => (json as { readonly input: string }).input);
  return { model, telegram, speech, home, shown, sees, spoken };
}

const voiceNote = (file: string) => ({ text: undefined, voice: { file_id: file, file_unique_id: "v1", duration: 1 } });

describe("a chat that wants to hear answers", { timeout: 180_000 }, () => {
  it("hears each of them after its text, without marks, also after a crash [40:STR-13] [40:PRC-36]", async () => {
    const { model, telegram, home, sees, spoken, speech } = await stage();
    const first = home.start(["gateway", "run"]);
    telegram.text("/voice tts");
    await sees("All answers are spoken, too, in this chat.");
    model.script(says("**Green** tea, from [the shelf](https://tea.example/green)."));
    telegram.text("what is there?");
    const text = "Green tea, from the shelf.";
    await sees("All answers are spoken, too, in this chat.", text, "[voice 11]");
    expect(spoken()).toEqual([text]);
    expect(speech.seen[0]?.json).toMatchObject({ response_format: "opus" });
    first.kill("SIGKILL");
    await once(first, "exit");
    const directory = path.join(home.home, "channel_directory.json");
    await rm(directory, { force: true });
    home.start(["gateway", "run"]);
    model.script(says("Black tea."));
    telegram.text("and else?");
    await sees("All answers are spoken, too, in this chat.", text, "[voice 11]", "Black tea.", "[voice 11]");
    await expect.poll(() => existsSync(directory), { timeout: 60_000 }).toBe(true);
    telegram.text("/voice off");
    await expect.poll(() => telegram.shown().at(-1)?.text, { timeout: 60_000 }).toMatch(/not spoken/u);
    model.script(says("Quiet tea."));
    telegram.text("and now?");
    await expect.poll(() => telegram.shown().at(-1)?.text, { timeout: 60_000 }).toBe("Quiet tea.");
    telegram.text("/voice status");
    await expect.poll(() => telegram.shown().at(-1)?.text, { timeout: 60_000 }).toMatch(/not spoken/u);
    expect(spoken()).toEqual([text, "Black tea."]);
  });

  it("may hear only those to voice messages, and none that the agent has spoken by itself [40:STR-13]", async () => {
    const { model, telegram, home, shown, spoken } = await stage();
    const last = () => expect.poll(() => shown().at(-1), { timeout: 60_000 });
    home.start(["gateway", "run"]);
    telegram.text("/voice on");
    await last().toMatch(/voice messages are spoken/u);
    model.script(says("Read this."));
    telegram.text("hello");
    await last().toBe("Read this.");
    model.script(says("Hear this."));
    telegram.text("", { more: voiceNote(telegram.file(Buffer.from("OggS question"))) });
    await last().toBe("[voice 11]");
    expect(spoken()).toEqual(["Hear this."]);
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("what is for tea?");
    model.script(calls("text_to_speech", { text: "My own words." }), says("I said it myself."));
    telegram.text("", { more: voiceNote(telegram.file(Buffer.from("OggS again"))) });
    await last().toBe("I said it myself.");
    model.script(says("Goodbye."));
    telegram.text("", { more: voiceNote(telegram.file(Buffer.from("OggS third"))) });
    await last().toBe("[voice 11]");
    expect(spoken()).toEqual(["Hear this.", "My own words.", "Goodbye."]);
  });

  it("reads the answer where the voice fails, and nothing about it [40:STR-13]", async () => {
    let isBroken = true;
    const { model, telegram, home, sees } = await stage(() => (isBroken ? { status: 500, body: "no voice" } : sound));
    home.start(["gateway", "run"]);
    telegram.text("/voice tts");
    const told = "All answers are spoken, too, in this chat.";
    await sees(told);
    model.script(says("One."));
    telegram.text("first");
    await sees(told, "One.");
    await expect
      .poll(async () => (await home.run(["gateway", "queue", "list"])).stdout, { timeout: 60_000, interval: 500 })
      .toMatch(/failed +speech/u);
    isBroken = false;
    model.script(says("Two."));
    telegram.text("second");
    await sees(told, "One.", "Two.", "[voice 11]");
  });
});
