import { mkdir } from "node:fs/promises";
import path from "node:path";
import { afterEach, expect, it } from "vitest";
import { Scope } from "#foundation/lifecycle/disposal";
import { calls, says, slow, startModelServer } from "../fakes/model-server/index.ts";
import { startTelegramServer } from "../fakes/platforms/telegram-server.ts";
import { Stage } from "./support/stage.ts";
import { ProgramTerminal } from "./support/terminal.ts";

const scopes: Scope[] = [];
afterEach(async () => {
  for (const scope of scopes.splice(0)) await scope[Symbol.asyncDispose]();
});

it("a new user sets a bot up, lets themselves in, allows a command and restarts in mid-answer [40:A-AUT-7] [40:AUT-11] [40:AUT-15]", async () => {
  const scope = new Scope();
  scopes.push(scope);
  const model = scope.adopt(await startModelServer());
  const telegram = scope.adopt(await startTelegramServer());
  const config = [
    `model: { provider: custom, default: test-model, base_url: "${model.chatBaseUrl}", context_length: 128000 }`,
    `telegram: { base_url: "${telegram.url}" }`,
    "auxiliary: { title_generation: { enabled: false } }",
  ].join("\n");
  const home = scope.adopt(await Stage.open({ config }));
  await mkdir(path.join(home.work, "build"));
  const shown = () => telegram.shown().map(({ text }) => text);
  const hears = (words: string | RegExp) => expect.poll(() => shown().join("\n"), { timeout: 60_000 }).toMatch(words);

  const screen = scope.adopt(new ProgramTerminal(home, ["gateway", "setup"]));
  await screen.sees("Which platform?");
  screen.press("tele");
  await screen.sees("1 of 18");
  screen.press("\r");
  await screen.sees(/@BotFather[\s\S]*Bot token:/u);
  screen.press("999999:AAwrong-token\r");
  await screen.sees(/@userinfobot[\s\S]*Your numeric user id/u);
  screen.press("\r");
  await screen.sees("Telegram does not accept");
  await screen.sees(/Telegram does not accept[\s\S]*@BotFather[\s\S]*Bot token:/u);
  screen.press(`${telegram.token}\r`);
  await screen.sees("Telegram knows it as");
  await screen.sees("And now?");
  screen.press("\r");
  await screen.sees("telegram: connected");
  expect(await screen.text()).not.toContain(telegram.token);

  telegram.text("hi");
  await hears(/hermes pairing approve telegram [A-HJ-NP-Z2-9]{8}/u);
  const [, code = ""] = /approve telegram (\w{8})/u.exec(shown().join("\n")) ?? [];
  const approved = await home.run(["pairing", "approve", "telegram", code]);
  expect(approved.stdout).toContain("may now talk to Hermes on telegram");
  await hears("You may write to me now.");
  model.script(says("Hello Ann, I am here."), calls("terminal", { command: "rm -rf ./build" }), says("Done."));
  telegram.text("hello again");
  await hears("Hello Ann, I am here.");
  telegram.text("clean up");
  const asked = () => telegram.shown().find(({ buttons }) => buttons.length > 0);
  await expect.poll(asked, { timeout: 60_000 }).toBeDefined();
  const { messageId = "", buttons = [] } = asked() ?? {};
  telegram.press(messageId, buttons[0] ?? "");
  await hears("Done.");

  model.script(slow(says("Never seen.")), says("Once upon a time."));
  const before = model.requests.length;
  telegram.text("tell me a long story");
  await model.received(before + 1);
  screen.press("\u0003");
  await hears("I am restarting");
  screen.press("\u0003");
  await screen.exited;
  const second = scope.adopt(new ProgramTerminal(home, ["gateway", "run"]));
  await second.sees("telegram: connected");
  await hears("Once upon a time.");
  expect(shown().filter((text) => text.includes("Once upon"))).toHaveLength(1);
  expect(shown().join("\n")).not.toContain("Never seen");
}, 180_000);
