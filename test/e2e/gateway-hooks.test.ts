import { appendFile, chmod, mkdir, readFile, writeFile } from "node:fs/promises";
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

async function stage(files: Readonly<Record<string, string>>) {
  const scope = new Scope();
  scopes.push(scope);
  const model = scope.adopt(await startModelServer());
  const telegram = scope.adopt(await startTelegramServer());
  const config = [
    `model: { provider: custom, default: test-model, base_url: "${model.chatBaseUrl}", context_length: 128000 }`,
    `telegram: { base_url: "${telegram.url}", allowed_users: ["7"] }`,
    "auxiliary: { title_generation: { enabled: false } }",
  ].join("\n");
  const home = scope.adopt(await Stage.open({ config, env: `TELEGRAM_BOT_TOKEN=${telegram.token}\n` }));
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(home.home, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text.replaceAll("HOME_FOLDER", home.home));
    if (path.basename(name) === "handler") await chmod(file, 0o755);
  }
  const shown = () => telegram.shown().map(({ text }) => text);
  const log = () => readFile(path.join(home.home, "told.txt"), "utf8").catch(() => "");
  return { model, telegram, home, shown, log };
}

describe("hooks of the gateway", () => {
  it("are modules, Python or any program; one that breaks or hangs harms nobody, and they decide about commands [40:HOK-1] [40:HOK-3] [40:HOK-5] [40:HOK-6] [40:HOK-7] [40:A-HOK-2] [40:A-HOK-3] [40:A-HOK-7] [40:A-HOK-8] [40:A-CMD-10]", async () => {
    const { model, telegram, home, shown, log } = await stage({
      "hooks/a/HOOK.yaml": "events: ['gateway:startup', 'session:start', 'agent:end']",
      "hooks/a/handler.mjs":
        'import { appendFileSync } from "node:fs";\nexport default (event, { response = "" }) => appendFileSync("HOME_FOLDER/told.txt", "module " + event + " " + response + "\\n");\n',
      "hooks/b/HOOK.yaml": "events: ['agent:end']",
      "hooks/b/handler.py":
        'async def handle(event_type, context):\n    open("HOME_FOLDER/told.txt", "a").write("python " + event_type + " " + context["platform"] + "\\n")\n',
      "hooks/c/HOOK.yaml": "events: ['command:*']",
      "hooks/c/handler":
        '#!/bin/sh\nread -r line\ncase "$line" in\n*\'"command":"status"\'*) echo \'{"decision":"rewrite","command_name":"help"}\';;\n*\'"command":"usage"\'*) echo \'{"decision":"deny","message":"Not today."}\';;\n*\'"command":"model"\'*) echo \'{"decision":"deny","message":"locked"}\';;\nesac\n',
      "hooks/d/HOOK.yaml": "events: ['agent:*']\ntimeout_ms: 200",
      "hooks/d/handler.js": "exports.handle = () => new Promise(() => undefined);\n",
      "hooks/e/HOOK.yaml": "description: names no events",
      "hooks/f/notes.txt": "no hook at all",
      "BOOT.md": " \n",
    });
    model.script(says("Fine."));
    home.start(["gateway", "run"]);
    telegram.text("how are you?");
    await expect.poll(shown, { timeout: 60_000 }).toEqual(["Fine."]);
    await expect.poll(log, { timeout: 30_000 }).toContain("python agent:end telegram");
    const told = await log();
    expect(told).toContain("module gateway:startup");
    expect(told).toContain("module session:start");
    expect(told).toContain("module agent:end Fine.");
    telegram.text("/usage");
    await expect.poll(() => shown().at(-1), { timeout: 30_000 }).toBe("Not today.");
    telegram.text("/status");
    await expect.poll(() => shown().at(-1), { timeout: 30_000 }).toContain("/new");
    telegram.text("/model custom:other-model");
    await expect.poll(() => shown().at(-1), { timeout: 30_000 }).toBe("locked");
    model.script(says("The same as before."));
    telegram.text("which model are you?");
    await expect.poll(() => shown().at(-1), { timeout: 30_000 }).toBe("The same as before.");
    expect(model.requests.map(({ body }) => (body as { readonly model: string }).model)).toEqual([
      "test-model",
      "test-model",
    ]);
  });
});

describe("a hook that runs apart", () => {
  it("has a thread with the variables it names; one that computes for ever holds up nobody, and the next event finds it well [40:HOK-2] [40:HOK-8]", async () => {
    const { model, telegram, home, shown, log } = await stage({
      "hooks/z-first/HOOK.yaml":
        "events: ['command:*']\norder: -1\nhandler: told.mjs\nisolate: true\nenv: [TEAM_TOKEN]\ntimeout_ms: 2000\n",
      "hooks/z-first/told.mjs": `import { appendFileSync } from "node:fs";
        import { isMainThread } from "node:worker_threads";
        export function handle(event, { command }) {
          if (command === "usage") for (;;);
          const { TEAM_TOKEN = "none", TELEGRAM_BOT_TOKEN = "none" } = process.env;
          appendFileSync("HOME_FOLDER/told.txt", [command, isMainThread, TEAM_TOKEN, TELEGRAM_BOT_TOKEN].join(" ") + "\\n");
          return command === "status" ? { decision: "handled", message: "Apart." } : undefined;
        }`,
      "hooks/a-second/HOOK.yaml": "events: ['command:*']",
      "hooks/a-second/handler.sh":
        'read -r line\ncase "$line" in *\'"command":"status"\'*) echo \'{"decision":"deny","message":"Too late."}\';; esac\n',
    });
    await appendFile(path.join(home.home, ".env"), "TEAM_TOKEN=tea-token\n");
    home.start(["gateway", "run"]);
    telegram.text("/status");
    await expect.poll(shown, { timeout: 60_000 }).toEqual(["Apart."]);
    telegram.text("/usage");
    await expect.poll(() => shown().length, { timeout: 60_000 }).toBe(2);
    telegram.text("/status");
    await expect.poll(shown, { timeout: 60_000 }).toEqual(["Apart.", expect.any(String), "Apart."]);
    expect((await log()).trim().split("\n")).toEqual(["status false tea-token none", "status false tea-token none"]);
    expect(model.requests).toEqual([]);
  }, 120_000);
});

describe("BOOT.md", () => {
  it("is carried out when the gateway starts, and not again in the next minute [40:HOK-9] [40:A-HOK-8]", async () => {
    const { model, telegram, home, shown } = await stage({ "BOOT.md": "Tell chat 7 that you are back.\n" });
    model.script(
      calls("send_message", { target: "telegram:7", message: "I am back." }),
      says("[SILENT]"),
      says("Yes."),
    );
    const first = home.start(["gateway", "run"]);
    await expect.poll(shown, { timeout: 60_000 }).toEqual(["I am back."]);
    await model.received(2);
    expect(JSON.stringify(model.requests[0])).toContain("Tell chat 7 that you are back.");
    first.kill("SIGTERM");
    await new Promise((resolve) => first.once("exit", resolve));
    home.start(["gateway", "run"]);
    telegram.text("there?");
    await expect.poll(shown, { timeout: 60_000 }).toEqual(["I am back.", "Yes."]);
    expect(model.requests.length).toBe(3);
  });
});
