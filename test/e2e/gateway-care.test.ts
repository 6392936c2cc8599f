import { createHmac } from "node:crypto";
import { once } from "node:events";
import { chmod, readdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { Scope } from "#foundation/lifecycle/disposal";
import { freePort } from "../fakes/free-port.ts";
import { calls, hang, says, slow, startModelServer } from "../fakes/model-server/index.ts";
import { startTelegramServer } from "../fakes/platforms/telegram-server.ts";
import { Stage } from "./support/stage.ts";

const scopes: Scope[] = [];
afterEach(async () => {
  for (const scope of scopes.splice(0)) await scope[Symbol.asyncDispose]();
});

async function stage(more = "") {
  const scope = new Scope();
  scopes.push(scope);
  const model = scope.adopt(await startModelServer());
  const telegram = scope.adopt(await startTelegramServer());
  const config = [
    `model: { provider: custom, default: test-model, base_url: "${model.chatBaseUrl}", context_length: 128000 }`,
    `telegram: { base_url: "${telegram.url}", allowed_users: ["7", "8"] }`,
    "auxiliary: { title_generation: { enabled: false } }",
    more,
  ].join("\n");
  const home = scope.adopt(await Stage.open({ config, env: `TELEGRAM_BOT_TOKEN=${telegram.token}\n` }));
  const doctor = async (...more: readonly string[]) => {
    const { code, stdout } = await home.run(["gateway", "doctor", "--json", ...more]);
    const { checks } = JSON.parse(stdout) as { checks: readonly Record<string, string>[] };
    const named = (name: string) => checks.find((check) => check["name"] === name);
    return { code, named, text: stdout };
  };
  const answered = (count: number) => expect.poll(() => telegram.shown().length, { timeout: 30_000 }).toBe(count);
  return { model, telegram, home, doctor, answered };
}

describe("hermes gateway doctor", () => {
  it("tries credentials, looks at the process, the queues and the clock, and fails where something is wrong", async () => {
    const { home, model, telegram, doctor, answered } = await stage();
    const before = await doctor();
    expect(before.code).toBe(0);
    expect(before.named("Telegram")).toMatchObject({ state: "ok", detail: expect.stringContaining("is accepted") });
    expect(before.named("does not run")).toMatchObject({ state: "warning" });
    expect(before.text).toContain("agrees with the platforms'");
    expect(before.text).not.toContain(telegram.token);

    model.script(says("Hello."));
    const gateway = home.start(["gateway", "run"]);
    telegram.text("hi");
    await answered(1);
    const during = await doctor();
    expect(during.named("runs")?.["detail"]).toContain(String(gateway.pid));
    expect(during.named("Telegram")?.["detail"]).toContain("connected");
    expect(during.named("received")).toMatchObject({ state: "ok", detail: expect.stringContaining("0 given up") });
    gateway.kill("SIGKILL");
    await once(gateway, "exit");
    expect((await doctor()).named("gateway.pid")).toMatchObject({ state: "warning" });

    await writeFile(path.join(home.home, ".env"), "TELEGRAM_BOT_TOKEN=999999:AAwrong-token\n");
    await chmod(path.join(home.home, ".env"), 0o644);
    const after = await doctor();
    expect(after.code).toBe(1);
    expect(after.named("Telegram")).toMatchObject({ state: "failed", detail: expect.stringContaining("token") });
    expect(after.text).toContain("others may read it");
    expect((await doctor("--offline")).named("Telegram")).toMatchObject({ state: "ok" });
    await writeFile(path.join(home.home, ".env"), "");
    expect((await doctor()).named("none is set up")).toMatchObject({ state: "failed" });
  });
});

describe("hermes gateway forget", () => {
  it("leaves nothing of a person, also while the gateway runs, and everything of others [40:SCL-28]", async () => {
    const { home, model, telegram, answered } = await stage();
    model.script(says("I keep the cobalt secret."), says("Hello, eight."));
    home.start(["gateway", "run"]);
    telegram.text("my secret is cobalt");
    await answered(1);
    telegram.text("good day", { chatId: 8, from: 8 });
    await answered(2);
    const refused = await home.run(["gateway", "forget", "telegram", "7"]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("-y");
    // The lease of the chat is given back a moment after its answer.
    await expect
      .poll(async () => (await home.run(["gateway", "forget", "telegram", "7", "--yes", "--json"])).stdout, {
        timeout: 30_000,
      })
      .toMatch(/"chats":\s*\[\s*"agent:main:telegram:dm:7"\s*\]/u);
    const sessions = await home.run(["sessions", "list", "--json"]);
    expect(sessions.stdout).not.toContain("cobalt");
    expect(sessions.stdout).toContain("good day");
    model.script(says("Who are you?"));
    telegram.text("do you know me?");
    await answered(3);
    expect(JSON.stringify(model.requests.at(-1))).not.toContain("cobalt");
    expect((await home.run(["gateway", "forget", "telegram", "nobody", "-y"])).stdout).toContain("0 chats");
    expect((await home.run(["gateway", "forget", "fax", "1", "-y"])).code).not.toBe(0);
    const logs = path.join(home.home, "pairing");
    for (const name of await readdir(logs).catch(() => []))
      if (name.endsWith(".json")) expect(await readFile(path.join(logs, name), "utf8")).not.toContain('"7"');
  });
});

describe("what Hermes hears by itself", () => {
  it("is answered in the chat it belongs to, with nobody writing: a process in the background that ends [40:FLW-3]", async () => {
    const { home, model, telegram } = await stage();
    const gate = path.join(home.work, "go");
    model.script(
      calls("terminal", {
        command: `until [ -e ${gate} ]; do sleep 0.1; done; echo built`,
        background: true,
        notify_on_complete: true,
      }),
      says("It builds."),
      says("The build has ended."),
    );
    home.start(["gateway", "run"]);
    telegram.text("build it");
    const texts = () => telegram.shown().map(({ text }) => text);
    await expect.poll(texts, { timeout: 30_000 }).toContain("It builds.");
    await writeFile(gate, "");
    await expect.poll(texts, { timeout: 30_000 }).toContain("The build has ended.");
    expect(JSON.stringify(model.requests.at(-1)?.messages.at(-1))).toContain("built");
  }, 120_000);
});

describe("programs in the background of a chat", () => {
  it("that end with a killed gateway are told of in their chat when it is back [40:FLW-47]", async () => {
    const { home, model, telegram } = await stage();
    model.script(
      calls("terminal", { command: "echo halfway; sleep 600", background: true, notify_on_complete: true }),
      says("It builds."),
      says("The build was cut off."),
    );
    const texts = () => telegram.shown().map(({ text }) => text);
    const gateway = home.start(["gateway", "run"]);
    telegram.text("build it");
    await expect.poll(texts, { timeout: 30_000 }).toContain("It builds.");
    gateway.kill("SIGKILL");
    await once(gateway, "exit");
    home.start(["gateway", "run"]);
    await expect.poll(texts, { timeout: 60_000 }).toContain("The build was cut off.");
    const last = JSON.stringify(model.requests.at(-1)?.messages);
    expect(last).toContain("build it");
    expect(last).toMatch(/background process .* has ended/u);
  }, 120_000);

  it.each([
    ["result", 1],
    ["off", 0],
  ])(
    "report as the setting says: %s [40:FLW-47]",
    async (mode, reports) => {
      const { home, model, telegram } = await stage(`display: { background_process_notifications: "${mode}" }`);
      model.script(
        calls("terminal", {
          command: "echo ready; echo over",
          background: true,
          notify_on_complete: true,
          watch_patterns: ["ready"],
        }),
        says("It runs."),
      );
      model.otherwise(says("Heard."));
      home.start(["gateway", "run"]);
      telegram.text("run it");
      const texts = () => telegram.shown().map(({ text }) => text);
      await expect.poll(texts, { timeout: 30_000 }).toContain("It runs.");
      if (reports > 0) await expect.poll(texts, { timeout: 30_000 }).toContain("Heard.");
      telegram.text("what was reported?");
      await expect.poll(() => model.requests.length, { timeout: 30_000 }).toBe(3 + reports);
      const said = JSON.stringify(model.requests.at(-1)?.messages.filter(({ role }) => role === "user"));
      expect(said.match(/background process .*? has ended/gu) ?? []).toHaveLength(reports);
      expect(said).not.toContain("printed what is watched for");
    },
    120_000,
  );
});

describe("what a chat sees of tools", () => {
  const long = `echo ${"x".repeat(120)}`;
  const times = (text: string) => text.match(/terminal/g)?.length ?? 0;
  it.each([
    ["off", (text: string) => times(text) === 0],
    ["new", (text: string) => times(text) === 1],
    ["all", (text: string) => times(text) === 2],
    ["verbose", (text: string) => times(text) === 2 && text.includes(long)],
  ] as const)(
    "is as display.tool_progress says: %s [40:STR-8] [40:STR-2]",
    async (mode, isShown) => {
      const { home, model, telegram } = await stage(`display: { tool_progress: "${mode}" }`);
      model.script(
        calls("terminal", { command: "echo one" }),
        slow(calls("terminal", { command: long })),
        says("Done."),
      );
      home.start(["gateway", "run"]);
      telegram.text("do both");
      const texts = () => telegram.shown().map(({ text }) => text);
      // What shows progress may be passed over when the answer is there: the first line has its time.
      if (mode === "off") await model.received(2);
      else await expect.poll(() => texts().join("\n"), { timeout: 30_000 }).toContain("terminal");
      model.release(Number.POSITIVE_INFINITY);
      await expect.poll(texts, { timeout: 30_000 }).toContain("Done.");
      await expect.poll(() => isShown(texts().join("\n")), { timeout: 30_000 }).toBe(true);
    },
    120_000,
  );
});

describe("words leave", () => {
  it("as the answer, to a home channel, to a chat by its id, and to another platform [40:DLV-1]", async () => {
    const calledWith: Record<string, unknown>[] = [];
    const receiver = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        calledWith.push(JSON.parse(Buffer.concat(chunks).toString("utf8")) as Record<string, unknown>);
        response.writeHead(200).end("{}");
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    const ops = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    const { home, model, telegram } = await stage(
      [
        'gateway: { admin_users: ["telegram:7", "7"] }',
        "platforms:",
        '  telegram: { home_channel: { platform: telegram, chat_id: "9", name: Home } }',
        `  webhook: { enabled: true, token: s3cret, extra: { outbound: { ops: { url: "${ops}", allow_private: true } } } }`,
        `webhook: { port: ${await freePort()} }`,
      ].join("\n"),
    );
    model.script(
      calls("send_message", { target: "telegram", message: "to the home channel" }),
      calls("send_message", { target: "telegram:8", message: "to chat eight" }),
      calls("send_message", { target: "webhook:ops", message: "to another platform" }),
      says("to you"),
    );
    home.start(["gateway", "run"]);
    telegram.text("tell everybody");
    const words = () => telegram.shown().map(({ chatId, text }) => `${chatId}: ${text}`);
    await expect.poll(words, { timeout: 30_000 }).toEqual(expect.arrayContaining(["7: to you"]));
    expect(JSON.stringify(model.requests.at(-1)?.messages)).not.toContain("error");
    await expect
      .poll(words, { timeout: 30_000 })
      .toEqual(expect.arrayContaining(["9: to the home channel", "8: to chat eight"]));
    await expect.poll(() => calledWith.map(({ text }) => text), { timeout: 30_000 }).toEqual(["to another platform"]);
    receiver.closeAllConnections();
    await new Promise((resolve) => receiver.close(resolve));
  }, 120_000);
});

describe("without a gateway", () => {
  it("words leave from the terminal and from jobs all the same, also where it was never connected [40:DLV-11]", async () => {
    const { home, model, telegram } = await stage(
      'platforms: { telegram: { home_channel: { platform: telegram, chat_id: "9", name: Home } } }',
    );
    model.script(calls("send_message", { target: "telegram:8", message: "from the terminal" }), says("Sent."));
    const answer = await home.ask("tell eight");
    expect(JSON.stringify(answer)).toContain("Sent.");
    const result = JSON.stringify(model.requests.at(-1)?.messages.at(-1));
    expect(result).toContain("message_id");
    expect(result).not.toContain("It is owed");
    const words = () => telegram.shown().map(({ chatId, text }) => `${chatId}: ${text}`);
    expect(words()).toEqual(["8: from the terminal"]);
    model.script(says("from a job"));
    const made = await home.run(["cron", "create", "every 1h", "Say it", "--deliver", "telegram", "--json"]);
    const { job } = JSON.parse(made.stdout) as { job: { job_id: string } };
    expect(await home.run(["cron", "run", job.job_id])).toMatchObject({ code: 0 });
    expect(words()).toEqual(["8: from the terminal", expect.stringMatching(/^9: (?:.*\n)*.*from a job/u)]);
    expect(telegram.calls.map(({ method }) => method)).not.toContain("getUpdates");
  }, 120_000);
});

describe("hermes gateway run", () => {
  it("says what it waits for when it is asked to end, and ends at once when it is asked again", async () => {
    const { home, model, telegram } = await stage();
    model.script(hang());
    const gateway = home.start(["gateway", "run"]);
    let shown = "";
    gateway.stderr?.on("data", (text: Buffer) => {
      shown += String(text);
    });
    telegram.text("think long");
    await expect.poll(() => model.requests.length, { timeout: 30_000 }).toBe(1);
    gateway.kill("SIGINT");
    await expect.poll(() => shown, { timeout: 30_000 }).toContain("Finishing 1 conversation first. Ctrl-C again");
    gateway.kill("SIGINT");
    expect(await once(gateway, "exit")).toEqual([130, null]);
  }, 120_000);
});

describe("a webhook route", () => {
  it("answers as one comment on the pull request, also when GitHub's answer was lost [40:WHK-12] [40:A-WHK-10]", async () => {
    const comments: { id: number; body: string }[] = [];
    const asked: string[] = [];
    const gitHub = createServer((request, response) => {
      asked.push(`${request.method} ${request.url?.split("?")[0]} ${request.headers.authorization}`);
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const say = (body: unknown) =>
          void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
        if (request.method === "GET") return say(comments);
        const { body } = JSON.parse(Buffer.concat(chunks).toString("utf8")) as { body: string };
        comments.push({ id: comments.length + 1, body });
        // The first one is written, and nobody hears of it.
        return comments.length === 1 ? void response.destroy() : say(comments.at(-1));
      });
    });
    await new Promise<void>((resolve) => gitHub.listen(0, "127.0.0.1", resolve));
    const api = `http://127.0.0.1:${(gitHub.address() as AddressInfo).port}`;
    const port = await freePort();
    const route = `{ secret: s3cret, prompt: "Review {n}", deliver: github_comment, deliver_extra: { repo: "me/it", pr_number: "{n}" } }`;
    const { home, model } = await stage(
      [
        "platforms:",
        `  webhook: { enabled: true, extra: { routes: { pr: ${route} }, github: { token: gh-token, api_url: "${api}" } } }`,
        `webhook: { port: ${port} }`,
      ].join("\n"),
    );
    model.script(calls("terminal", { command: "true" }), says("Looks good."));
    home.start(["gateway", "run"]);
    const call = async (body: string): Promise<number | undefined> => {
      const signature = createHmac("sha256", "s3cret").update(body).digest("hex");
      const headers = { "x-hub-signature-256": `sha256=${signature}`, "x-github-delivery": body };
      const answer = await fetch(`http://127.0.0.1:${port}/webhooks/pr`, { method: "POST", body, headers }).catch(
        () => undefined,
      );
      return answer?.status;
    };
    await expect.poll(() => call('{"n":7}'), { timeout: 30_000 }).toBe(202);
    const heard = () => asked.filter((line) => line.startsWith("GET")).length;
    await expect.poll(heard, { timeout: 60_000 }).toBe(2);
    expect(comments).toEqual([{ id: 1, body: expect.stringMatching(/^Looks good\.\n\n<!-- hermes .* -->$/) }]);
    expect(asked[0]).toBe("GET /repos/me/it/issues/7/comments Bearer gh-token");
    expect(await call('{"n":"7/../8"}')).toBe(502);
    gitHub.closeAllConnections();
    await new Promise((resolve) => gitHub.close(resolve));
  }, 120_000);
});
