import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { Scope } from "#foundation/lifecycle/disposal";
import { calls, says, startModelServer } from "../fakes/model-server/index.ts";
import { startTelegramServer } from "../fakes/platforms/telegram-server.ts";
import { Stage } from "./support/stage.ts";

const scopes: Scope[] = [];
afterEach(async () => {
  for (const scope of scopes.splice(0)) await scope[Symbol.asyncDispose]();
});

const oldKey = "sk-old-1234567890abcdef1234567890";
const newKey = "sk-new-0987654321fedcba0987654321";

async function stage() {
  const scope = new Scope();
  scopes.push(scope);
  const model = scope.adopt(await startModelServer());
  const telegram = scope.adopt(await startTelegramServer());
  const settings = (modelName: string): string =>
    [
      `model: { provider: custom, default: ${modelName}, base_url: "${model.chatBaseUrl}", context_length: 128000 }`,
      "providers: { custom: { key_env: TEA_KEY } }",
      `telegram: { base_url: "${telegram.url}", allowed_users: ["7"] }`,
      "gateway: { admin_users: ['telegram:7', '7'] }",
      "auxiliary: { title_generation: { enabled: false } }",
    ].join("\n");
  const env = (key: string): string => `TELEGRAM_BOT_TOKEN=${telegram.token}\nTEA_KEY=${key}\n`;
  const home = scope.adopt(await Stage.open({ config: settings("test-model"), env: env(oldKey) }));
  const start = () => {
    const child = home.start(["gateway", "run"]);
    let said = "";
    child.stderr?.on("data", (text: Buffer) => {
      said += String(text);
    });
    return { child, said: () => said };
  };
  const texts = () => telegram.shown().map(({ text }) => text);
  const heard = (text: string) => expect.poll(texts, { timeout: 60_000 }).toContain(text);
  const asked = () => model.requests.at(-1);
  return { model, telegram, home, settings, env, start, heard, asked };
}

describe("a gateway that runs", { timeout: 120_000 }, () => {
  it("uses a key and a model that are replaced in the files with the next turn of a conversation [40:CFG-6]", async () => {
    const { model, telegram, home, settings, env, start, heard, asked } = await stage();
    model.script(says("With the old key."), says("With the new key."), says("With the other model."));
    start();
    telegram.text("hello");
    await heard("With the old key.");
    expect(asked()?.headers["authorization"]).toBe(`Bearer ${oldKey}`);
    await writeFile(path.join(home.home, ".env"), env(newKey), { mode: 0o600 });
    telegram.text("and now?");
    await heard("With the new key.");
    expect(asked()?.headers["authorization"]).toBe(`Bearer ${newKey}`);
    await home.configure(settings("other-model"));
    telegram.text("and now?");
    await heard("With the other model.");
    expect(asked()?.body).toMatchObject({ model: "other-model" });
  });

  it("sends to the home channel that was just named in a chat [40:DLV-5]", async () => {
    const { model, telegram, start, heard } = await stage();
    start();
    model.script(calls("send_message", { target: "telegram", message: "to the home channel" }), says("Sent."));
    telegram.text("/sethome");
    await heard("Results of scheduled work and notices go to this chat from now on.");
    telegram.text("tell the home channel");
    await heard("to the home channel");
    await heard("Sent.");
  });
});

describe("a gateway whose config.yaml is broken", { timeout: 120_000 }, () => {
  it("says where, and goes on with the file as it last was and with .env [40:CFG-3]", async () => {
    const { model, telegram, home, settings, start, heard } = await stage();
    model.script(says("Before."), says("With what was good."));
    const first = start();
    telegram.text("hello");
    await heard("Before.");
    first.child.kill("SIGTERM");
    await new Promise((resolve) => first.child.once("exit", resolve));
    await home.configure(`${settings("test-model")}\nbroken: : yes\n`);
    const second = start();
    telegram.text("still there?");
    await heard("With what was good.");
    expect(second.said()).toMatch(/config\.yaml:6:\d+: .*last good copy/u);
    expect(await readFile(path.join(home.home, "logs", "errors.log"), "utf8")).toContain("config.yaml:6");
  });

  it("runs on .env and the defaults where no good one is known [40:CFG-3]", async () => {
    const { telegram, home, start } = await stage();
    await home.configure("broken: : yes\n");
    await writeFile(path.join(home.home, ".env"), `TELEGRAM_BOT_TOKEN=${telegram.token}\nTELEGRAM_BASE_URL=x\n`);
    const { said } = start();
    await expect.poll(said, { timeout: 60_000 }).toContain("telegram: connecting");
    expect(said()).toMatch(/config\.yaml:1:\d+: .*defaults are used/u);
  });
});
