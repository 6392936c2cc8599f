import { once } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import { Scope } from "#foundation/lifecycle/disposal";
import { calls, says, slow, startModelServer } from "../fakes/model-server/index.ts";
import { startTelegramServer } from "../fakes/platforms/telegram-server.ts";
import { Stage } from "./support/stage.ts";

const scopes: Scope[] = [];
afterEach(async () => {
  for (const scope of scopes.splice(0)) await scope[Symbol.asyncDispose]();
});

async function stage() {
  const scope = new Scope();
  scopes.push(scope);
  const model = scope.adopt(await startModelServer());
  const telegram = scope.adopt(await startTelegramServer());
  const config = [
    `model: { provider: custom, default: test-model, base_url: "${model.chatBaseUrl}", context_length: 128000 }`,
    // The address as the Bot API's own servers have it.
    `platforms: { telegram: { extra: { base_url: "${telegram.url}/bot" } } }`,
    'telegram: { allowed_users: ["7", "8"] }',
    "auxiliary: { title_generation: { enabled: false } }",
  ].join("\n");
  const env = `TELEGRAM_BOT_TOKEN=${telegram.token}\n`;
  const home = scope.adopt(await Stage.open({ config, env }));
  const start = () => home.start(["gateway", "run"]);
  const shown = (texts: readonly string[]) =>
    expect.poll(() => telegram.shown().map(({ text }) => text), { timeout: 30_000 }).toEqual(texts);
  return { model, telegram, home, start, shown };
}

describe("hermes gateway run", () => {
  it("answers a Telegram chat and goes on after a kill, losing and doubling nothing [40:PRC-1] [40:PRC-29] [40:FLW-12] [40:A-SCL-3] [40:A-TG-2] [40:CFG-2]", async () => {
    const { model, telegram, start, shown } = await stage();
    model.script(says("Hello from *Hermes*."), slow(says("Second answer.")), says("Second answer."));
    const first = start();
    telegram.text("hello");
    await shown(["Hello from Hermes."]);
    telegram.text("and more");
    await model.received(2);
    first.kill("SIGKILL");
    await once(first, "exit");
    telegram.text("are you there?", { chatId: 8, from: 8 });
    model.script(says("Yes."));
    start();
    const seenIn = (chat: string) => telegram.shown().filter(({ chatId }) => chatId === chat);
    await expect.poll(() => seenIn("8").length, { timeout: 30_000 }).toBe(1);
    await expect.poll(() => seenIn("7").length, { timeout: 30_000 }).toBe(2);
    expect([...seenIn("7"), ...seenIn("8")].map(({ text }) => text).sort()).toEqual([
      "Hello from Hermes.",
      "Second answer.",
      "Yes.",
    ]);
  });

  it("asks before a dangerous command, with buttons that count once [40:STR-15] [40:STR-17]", async () => {
    const { model, telegram, start } = await stage();
    model.script(calls("terminal", { command: "rm -rf ./build" }), says("Cleaned up."));
    start();
    telegram.text("clean up");
    const asked = () => telegram.shown().find(({ buttons }) => buttons.length > 0);
    await expect.poll(asked, { timeout: 30_000 }).toBeDefined();
    const { messageId = "", buttons = [] } = asked() ?? {};
    telegram.press(messageId, buttons[0] ?? "", 9);
    telegram.press(messageId, buttons[0] ?? "");
    telegram.press(messageId, buttons[0] ?? "");
    await expect.poll(() => telegram.shown().at(-1)?.text, { timeout: 30_000 }).toBe("Cleaned up.");
    // A line about the running tool may stand before it, where there was time for one.
    const decided = telegram.shown().filter(({ text }) => text.includes("Allowed once"));
    expect(decided).toHaveLength(1);
    expect(decided[0]?.buttons).toEqual([]);
    expect(telegram.shown().filter(({ text }) => text === "Cleaned up.")).toHaveLength(1);
    // Nobody is asked for a title either.
    expect(model.requests).toHaveLength(2);
  });

  it("does not answer strangers [40:AUT-1]", async () => {
    const { model, telegram, start, shown } = await stage();
    model.script(says("For you."));
    start();
    telegram.text("let me in", { chatId: 9, from: 9 });
    telegram.text("hello");
    await shown(["For you."]);
    expect(JSON.stringify(model.requests)).not.toContain("let me in");
  });

  it("says what is missing when no platform is set up", async () => {
    await using empty = await Stage.open();
    const { code, stderr } = await empty.run(["gateway", "run"]);
    expect(stderr).toContain("No chat platform is set up");
    expect(code).not.toBe(0);
  });
});
