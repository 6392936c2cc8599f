import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { memoryFolder } from "#foundation/files/memory-folder";
import { HermesHome } from "#foundation/files/paths";
import { Scope } from "#foundation/lifecycle/disposal";
import { calls, says, slow, startModelServer } from "../fakes/model-server/index.ts";
import { startTelegramServer } from "../fakes/platforms/telegram-server.ts";
import { ProgramClock } from "./support/set-clock.ts";
import { ended, Stage } from "./support/stage.ts";

const scopes: Scope[] = [];
afterEach(async () => {
  for (const scope of scopes.splice(0)) await scope[Symbol.asyncDispose]();
});

async function stage(settings: readonly string[]) {
  const scope = new Scope();
  scopes.push(scope);
  const model = scope.adopt(await startModelServer());
  const telegram = scope.adopt(await startTelegramServer());
  const config = [
    `model: { provider: custom, default: test-model, base_url: "${model.chatBaseUrl}", context_length: 128000 }`,
    `platforms: { telegram: { extra: { base_url: "${telegram.url}/bot" } } }`,
    "auxiliary: { title_generation: { enabled: false } }",
    ...settings,
  ].join("\n");
  const home = scope.adopt(await Stage.open({ config, env: `TELEGRAM_BOT_TOKEN=${telegram.token}\n` }));
  const start = (env?: Readonly<Record<string, string>>) => home.start(["gateway", "run"], { ...(env && { env }) });
  const texts = () => telegram.shown().map(({ text }) => text);
  const heard = (text: string) => expect.poll(texts, { timeout: 60_000 }).toContain(text);
  return { model, telegram, home, start, texts, heard };
}

const remember = (content: string) => calls("memory", { action: "add", target: "memory", content });
const forum = { id: -500, type: "supergroup", title: "Team", is_forum: true };

describe("settings of the gateway", () => {
  it("the owner has one memory in the terminal and in chats, guests have their own", async () => {
    const { model, telegram, home, start, heard } = await stage(['telegram: { allowed_users: ["7"] }']);
    model.script(remember("The owner likes tea."), says("Noted."));
    start();
    telegram.text("I like tea");
    await heard("Noted.");
    expect(await readFile(path.join(home.home, "memories", "MEMORY.md"), "utf8")).toContain("The owner likes tea.");
  });

  it("a day begins at its hour on the clock of the time zone that is set [40:SES-6]", async () => {
    // Four in the morning on Kiritimati is two in the afternoon in UTC.
    const { model, telegram, home, start, heard } = await stage([
      'telegram: { allowed_users: ["7"] }',
      "timezone: Pacific/Kiritimati",
      "session_reset: { mode: daily, at_hour: 4 }",
    ]);
    const clock = new ProgramClock(home);
    const day = 86_400_000;
    const noon = Math.ceil(Date.now() / day) * day + day / 2;
    const sayAt = async (hour: number, words: string, answer: string) => {
      clock.putForward(noon - day / 2 + hour * 3_600_000 - Date.now());
      model.script(says(answer));
      const gateway = start({ ...clock.env, TZ: "UTC" });
      const over = ended(gateway);
      telegram.text(words);
      await heard(answer);
      gateway.kill("SIGTERM");
      await over;
    };
    await sayAt(12, "The word is heron.", "Noted.");
    await sayAt(13, "And now?", "The same day.");
    expect(model.requests.at(-1)?.rawBody).toContain("heron");
    await sayAt(15, "And now?", "Another day.");
    expect(model.requests.at(-1)?.rawBody).not.toContain("heron");
  });

  it("of several people on a list nobody is the owner", async () => {
    const { model, telegram, home, start, heard } = await stage(['telegram: { allowed_users: ["7", "8"] }']);
    model.script(remember("Ann likes tea."), says("Noted."));
    start();
    telegram.text("I like tea");
    await heard("Noted.");
    expect(existsSync(path.join(home.home, "memories", "MEMORY.md"))).toBe(false);
    const own = memoryFolder(new HermesHome(home.home), "telegram:7");
    expect(await readFile(path.join(own, "MEMORY.md"), "utf8")).toContain("Ann likes tea.");
  });

  it("listens only where the policies of the platform let it [40:AUT-6]", async () => {
    const { model, telegram, start, heard, texts } = await stage([
      "telegram: { allow_all_users: true, dm_policy: allowlist, allow_from: [8], group_policy: disabled }",
    ]);
    model.script(says("Hello, Bob."));
    start();
    telegram.text("am I heard?");
    telegram.text("and in a group?", { chat: forum, from: 8 });
    telegram.text("and I?", { chatId: 8, from: 8 });
    await heard("Hello, Bob.");
    expect(texts()).toEqual(["Hello, Bob."]);
    expect(model.requests).toHaveLength(1);
    expect(JSON.stringify(model.requests[0]?.body)).toContain("and I?");
  });

  it("begins a channel's sessions with the skills bound to it, and its answers with its prefix", async () => {
    const { model, telegram, home, start, heard } = await stage([
      'telegram: { allowed_users: ["7"], reply_prefix: "Hermes: ", channel_skill_bindings: { "7": [tea-rules] } }',
    ]);
    const folder = path.join(home.home, "skills", "own", "tea-rules");
    await mkdir(folder, { recursive: true });
    const skill = "---\nname: tea-rules\ndescription: How tea is made\n---\nSteep it for four minutes.\n";
    await writeFile(path.join(folder, "SKILL.md"), skill);
    model.script(says("Four minutes."));
    start();
    telegram.text("how long?");
    await heard("Hermes: Four minutes.");
    expect(JSON.stringify(model.requests[0]?.body)).toContain("Steep it for four minutes.");
  });

  it("sends what would fill a chat as a file, after its beginning [40:DLV-7]", async () => {
    const { model, telegram, start } = await stage([
      'telegram: { allowed_users: ["7"] }',
      "delivery: { max_parts: 2 }",
    ]);
    const long = Array.from({ length: 400 }, (_, line) => `Line ${line} of a very long answer to a short question.`);
    model.script(says(long.join("\n\n")));
    start();
    telegram.text("tell me everything");
    const files = () => telegram.calls.filter(({ method }) => method === "sendDocument");
    await expect.poll(() => files().length, { timeout: 60_000 }).toBe(1);
    expect(telegram.calls.filter(({ method }) => method === "sendMessage")).toHaveLength(1);
    expect(files()[0]?.body).toMatchObject({ file_bytes: long.join("\n\n").length });
  });

  it("shows the beginning of a job's long output and keeps all of it [40:DLV-7] [40:DLV-8] [40:A-DLV-6]", async () => {
    const { model, telegram, home } = await stage([
      'telegram: { allowed_users: ["7"], home_channel: "7" }',
      "delivery: { max_parts: 1 }",
    ]);
    const long = Array.from({ length: 200 }, (_, line) => `Line ${line} of a long report that nobody asked for.`).join(
      "\n",
    );
    model.script(says(long));
    const made = await home.run(["cron", "create", "every 1h", "Report", "--deliver", "telegram", "--json"]);
    const { job } = JSON.parse(made.stdout) as { job: { job_id: string } };
    expect(await home.run(["cron", "run", job.job_id])).toMatchObject({ code: 0 });
    const of = (method: string) => telegram.calls.filter((call) => call.method === method);
    expect(of("sendMessage")).toHaveLength(1);
    expect(String(of("sendMessage")[0]?.body["text"])).toContain("Line 0 of a long report");
    expect(of("sendDocument")).toHaveLength(1);
    expect(Number(of("sendDocument")[0]?.body["file_bytes"])).toBeGreaterThanOrEqual(long.length);
    const folder = path.join(home.home, "cron", "output", job.job_id);
    const [file = ""] = await readdir(folder);
    expect(await readFile(path.join(folder, file), "utf8")).toContain(long);
  }, 120_000);

  it("encrypts what waits, answers it, and reads it with the key alone [40:SCL-28]", async () => {
    const { model, telegram, home, start, heard } = await stage([
      'telegram: { allowed_users: ["7"] }',
      "gateway: { encrypt_at_rest: true }",
    ]);
    model.script(says("A quiet answer."));
    const child = start();
    telegram.text("a quiet question");
    await heard("A quiet answer.");
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    await ended;
    const { DatabaseSync } = await import("@photostructure/sqlite");
    const columns = (): string => {
      const db = new DatabaseSync(path.join(home.home, "state.db"), { readOnly: true });
      try {
        return JSON.stringify([
          db.prepare("SELECT event AS column FROM gw_inbox").all(),
          db.prepare("SELECT payload AS column FROM gw_outbox").all(),
        ]);
      } finally {
        db.close();
      }
    };
    expect(columns()).toContain("sealed:v1:");
    expect(columns()).not.toContain("quiet");
    const key = path.join(home.home, "keys", "gateway.key");
    expect((await stat(key)).mode & 0o777).toBe(0o600);
    // Whoever is to be forgotten is found in what is encrypted.
    const forgotten = await home.run(["gateway", "forget", "telegram", "7", "--yes"]);
    expect(forgotten).toMatchObject({ code: 0 });
    expect(columns()).toBe("[[],[]]");
  });

  it("takes no more messages than may wait in a chat, and says so once [40:SCL-19]", async () => {
    const { model, telegram, start, texts, heard } = await stage([
      'telegram: { allowed_users: ["7"] }',
      "display: { busy_input_mode: queue }",
      "gateway: { limits: { refuse_pending_per_session: 2 } }",
    ]);
    model.script(slow(says("The first answer.")), says("The second answer."));
    start();
    telegram.text("first");
    await model.received(1);
    for (const text of ["second", "third", "fourth", "fifth"]) telegram.text(text);
    await heard("Too many messages are waiting here, so this one was not taken. Please send it again a little later.");
    model.release(Number.POSITIVE_INFINITY);
    await heard("The second answer.");
    expect(JSON.stringify(model.requests.at(-1)?.body)).toContain("second\\nthird");
    expect(JSON.stringify(model.requests.at(-1)?.body)).not.toContain("fourth");
    expect(texts().filter((text) => text.startsWith("Too many"))).toHaveLength(1);
  });
});
