import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, expect, it } from "vitest";
import { Scope } from "#foundation/lifecycle/disposal";
import { freePort } from "../fakes/free-port.ts";
import { startModelServer } from "../fakes/model-server/index.ts";
import { startTelegramServer } from "../fakes/platforms/telegram-server.ts";
import { Stage } from "./support/stage.ts";

const scopes: Scope[] = [];
afterEach(async () => {
  for (const scope of scopes.splice(0)) await scope[Symbol.asyncDispose]();
});

/** Telegram, which can be made to hang, and a webhook that always listens. */
async function stage() {
  const scope = new Scope();
  scopes.push(scope);
  const model = scope.adopt(await startModelServer());
  const telegram = scope.adopt(await startTelegramServer());
  const port = await freePort();
  const config = [
    `model: { provider: custom, default: test-model, base_url: "${model.chatBaseUrl}", context_length: 128000 }`,
    `telegram: { base_url: "${telegram.url}", allowed_users: ["7"] }`,
    "platforms: { webhook: { enabled: true, token: s3cret, extra: { routes: { hi: { prompt: hi } } } } }",
    `webhook: { port: ${port} }`,
    "gateway: { connect_timeout_seconds: 1 }",
    "plugins: { enabled: [witness] }",
  ].join("\n");
  const home = scope.adopt(await Stage.open({ config, env: `TELEGRAM_BOT_TOKEN=${telegram.token}\n` }));
  const state = async (): Promise<Record<string, unknown>> =>
    JSON.parse(await readFile(path.join(home.home, "gateway_state.json"), "utf8").catch(() => "{}")) as Record<
      string,
      unknown
    >;
  return { telegram, home, state, port };
}

it("a gateway has its lock and its file before its plugins, these before its platforms, and the hooks hear of the start when each was tried; one that hangs holds up no other [40:PRC-3] [40:PRC-7] [40:A-PRC-7]", async () => {
  const { telegram, home, state, port } = await stage();
  const log = path.join(home.home, "order.txt");
  const [lock, states] = ["gateway.pid", "gateway_state.json"].map((name) =>
    JSON.stringify(path.join(home.home, name)),
  );
  const append = (line: string): string =>
    `import { appendFileSync, existsSync, readFileSync } from "node:fs";\nconst note = (text) => appendFileSync(${JSON.stringify(log)}, text + "\\n");\n${line}`;
  const write = async (name: string, text: string): Promise<void> => {
    const file = path.join(home.home, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  };
  await write("plugins/witness/plugin.yaml", "name: witness\nversion: 1.0.0\ndescription: Sees it.\n");
  await write(
    "plugins/witness/index.mjs",
    append(`export function register() { note("plugins, with the file: " + existsSync(${lock})); }`),
  );
  await write("hooks/a/HOOK.yaml", "events: ['gateway:startup']");
  await write(
    "hooks/a/handler.mjs",
    append(
      `export default () => { const { platforms } = JSON.parse(readFileSync(${states}, "utf8")); note("hooks, telegram " + platforms.telegram.state + ", webhook " + platforms.webhook.state); };`,
    ),
  );
  const order = async () => (await readFile(log, "utf8").catch(() => "")).trim().split("\n");
  telegram.trouble("getMe", { kind: "silent" });
  home.start(["gateway", "run"]);
  await expect.poll(() => telegram.calls.length, { timeout: 60_000 }).toBeGreaterThan(0);
  // It hangs, and what comes before it is done; the hooks wait for it.
  expect(await order()).toEqual(["plugins, with the file: true"]);
  await expect.poll(order, { timeout: 60_000 }).toHaveLength(2);
  expect((await order()).at(-1)).toBe("hooks, telegram retrying, webhook connected");
  expect(await state()).toMatchObject({
    gateway_state: "running",
    platforms: { telegram: { state: "retrying" }, webhook: { state: "connected" } },
  });
  expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(200);
}, 120_000);

it("a gateway without a model says at its start who answers instead, and what to do about it", async () => {
  const scope = new Scope();
  scopes.push(scope);
  const telegram = scope.adopt(await startTelegramServer());
  const config = `telegram: { base_url: "${telegram.url}", allowed_users: ["7"] }`;
  const home = scope.adopt(await Stage.open({ config, env: `TELEGRAM_BOT_TOKEN=${telegram.token}\n` }));
  const child = home.start(["gateway", "run"]);
  let said = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  await expect.poll(() => said, { timeout: 60_000 }).toMatch(/demo model answers[\s\S]*hermes setup/u);
  telegram.text("hello");
  // What a person reads in a chat names no command that works in the terminal only.
  await expect.poll(() => telegram.shown().at(-1)?.text, { timeout: 60_000 }).toContain("hermes setup");
}, 120_000);
