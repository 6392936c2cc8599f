import { once } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import { Scope } from "#foundation/lifecycle/disposal";
import { freePort } from "../fakes/free-port.ts";
import { hang, says, startModelServer } from "../fakes/model-server/index.ts";
import { startSlackServer } from "../fakes/platforms/slack-server.ts";
import { Stage } from "./support/stage.ts";

const scopes: Scope[] = [];
afterEach(async () => {
  for (const scope of scopes.splice(0)) await scope[Symbol.asyncDispose]();
});

async function stage({ hasOther = false, port }: { readonly hasOther?: boolean; readonly port?: number } = {}) {
  const scope = new Scope();
  scopes.push(scope);
  const model = scope.adopt(await startModelServer());
  const slack = scope.adopt(
    await startSlackServer(port === undefined ? undefined : `http://127.0.0.1:${port}/slack/events`),
  );
  const config = [
    `model: { provider: custom, default: test-model, base_url: "${model.chatBaseUrl}", context_length: 128000 }`,
    `slack: { base_url: "${slack.url}", allow_all_users: true, dm_top_level_threads_as_sessions: false }`,
    "auxiliary: { title_generation: { enabled: false } }",
  ].join("\n");
  const tokens = hasOther ? `${slack.botToken},${slack.otherToken}` : slack.botToken;
  const way =
    port === undefined
      ? `SLACK_APP_TOKEN=${slack.appToken}`
      : `SLACK_CONNECTION_MODE=webhook\nSLACK_SIGNING_SECRET=${slack.signingSecret}\nSLACK_WEBHOOK_PORT=${port}`;
  const env = `SLACK_BOT_TOKEN=${tokens}\n${way}\n`;
  const home = scope.adopt(await Stage.open({ config, env }));
  let count = 0;
  const write = (text: string, more: Readonly<Record<string, unknown>> = {}, team = "T1"): void => {
    count += 1;
    const ts = `169000000${count}.000100`;
    slack.event({ type: "message", channel: "D0000000001", channel_type: "im", user: "U7", ts, text, ...more }, team);
  };
  const start = () => home.start(["gateway", "run"]);
  const shown = () => slack.shown().map(({ channel, text }) => `${channel}: ${text}`);
  const sees = (text: string) => expect.poll(shown, { timeout: 60_000 }).toContain(text);
  return { model, slack, write, start, shown, sees };
}

const fileOf = (url: string, name: string) => ({
  subtype: "file_share",
  files: [{ name, mimetype: "text/plain", url_private: url, size: 12 }],
});

describe("Slack", { timeout: 120_000 }, () => {
  it("answers each workspace with its own token, and fetches files with it [40:A-SL-3]", async () => {
    const { model, slack, write, start, sees } = await stage({ hasOther: true });
    model.otherwise((request) =>
      says(JSON.stringify(request.messages.at(-1)).includes("tea for two") ? "I read it." : "Hello."),
    );
    start();
    write("hello");
    await sees("D0000000001: Hello.");
    write("hello", { channel: "D2000000001" }, "T2");
    await sees("D2000000001: Hello.");
    const url = slack.file(Buffer.from("tea for two\n"), { type: "text/plain", isOther: true });
    write("read it", { channel: "D2000000001", ...fileOf(url, "list.txt") }, "T2");
    await sees("D2000000001: I read it.");
    const senders = slack.calls
      .filter(({ method }) => method === "chat.postMessage")
      .map(({ token, body }) => `${String(body["channel"])} ${token === slack.otherToken ? "other" : "first"}`);
    expect(new Set(senders)).toEqual(new Set(["D0000000001 first", "D2000000001 other"]));
  });

  it("that shows a page to log in has given no file, and the model is told so [40:A-SL-4]", async () => {
    const { model, slack, write, start, sees } = await stage();
    model.script(says("I cannot read it."));
    start();
    const url = slack.file(Buffer.from("<html>Sign in</html>"), { type: "text/html" });
    write("read it", fileOf(url, "list.txt"));
    await sees("D0000000001: I cannot read it.");
    const asked = JSON.stringify(model.requests[0]?.messages.at(-1));
    expect(asked).toContain("list.txt could not be fetched");
    expect(asked).not.toContain("Sign in");
  });

  it("delivers again what was not acknowledged before a kill, and it is answered once [40:A-SL-5] [40:SCL-5]", async () => {
    const { model, slack, write, start, shown, sees } = await stage();
    slack.loseAcknowledgements(true);
    model.script(hang());
    const first = start();
    write("one");
    await model.received(1);
    first.kill("SIGKILL");
    await once(first, "exit");
    // Nobody was there to write this one down.
    write("two", { channel: "D0000000002" });
    slack.loseAcknowledgements(false);
    model.otherwise((request) => says(`To ${/(one|two)/u.exec(JSON.stringify(request.messages.at(-1)))?.[1]}.`));
    start();
    await sees("D0000000001: To one.");
    await sees("D0000000002: To two.");
    await expect.poll(() => slack.unacknowledged(), { timeout: 60_000 }).toBe(0);
    expect(shown().toSorted()).toEqual(["D0000000001: To one.", "D0000000002: To two."]);
  });

  it("without Socket Mode calls the gateway; a kill loses and doubles nothing", async () => {
    const { model, slack, write, start, shown, sees } = await stage({ port: await freePort() });
    model.script(hang());
    const first = start();
    write("one");
    await model.received(1);
    // Slack has its 200 and heard of nothing: it delivers again all the same.
    slack.repeat();
    first.kill("SIGKILL");
    await once(first, "exit");
    // Nobody was there to write this one down.
    write("two", { channel: "D0000000002" });
    model.otherwise((request) => says(`To ${/(one|two|three)/u.exec(JSON.stringify(request.messages.at(-1)))?.[1]}.`));
    start();
    await sees("D0000000001: To one.");
    await sees("D0000000002: To two.");
    const command = { command: "/hermes", channel_id: "D0000000003", team_id: "T1", user_id: "U7", user_name: "ann" };
    slack.envelope("slash_commands", { ...command, text: "three", trigger_id: "t.1" });
    await sees("D0000000003: To three.");
    expect(shown().toSorted()).toEqual(["D0000000001: To one.", "D0000000002: To two.", "D0000000003: To three."]);
    expect(slack.calls.map(({ method }) => method)).not.toContain("apps.connections.open");
  });

  it("tells what was said in a thread before the mention, once and as words of others", async () => {
    const { model, slack, write, start, sees } = await stage();
    const thread = "1600000000.000100";
    const said = (ts: string, text: string) => ({ channel: "C0000000001", ts, thread_ts: thread, user: "U8", text });
    slack.said(said(thread, "The kettle is broken."));
    slack.said(said("1600000001.000100", "Who can mend it?"));
    model.script(says("I can."), says("Tomorrow."));
    start();
    const inThread = { channel: "C0000000001", channel_type: "channel", thread_ts: thread };
    write("<@U0BOT> can you?", { type: "app_mention", ...inThread });
    await sees("C0000000001: I can.");
    write("when?", inThread);
    await sees("C0000000001: Tomorrow.");
    const [first, second] = model.requests.map(({ messages }) => String(messages.at(-1)?.["content"]));
    expect(first).toContain("U8: The kettle is broken.\nU8: Who can mend it?");
    expect(first).toContain("can you?");
    expect(second).not.toContain("kettle");
  });

  it("is set up in either way: the setup asks for what that way needs", async () => {
    const scope = new Scope();
    scopes.push(scope);
    const slack = scope.adopt(await startSlackServer());
    const home = scope.adopt(await Stage.open({ config: `slack: { base_url: "${slack.url}" }`, env: "" }));
    const setUp = () => home.run(["gateway", "setup", "slack", "--token", slack.botToken]);
    expect((await setUp()).stderr).toContain("App token (xapp-…) is missing.");
    expect(await home.run(["config", "set", "slack.connection_mode", "webhook"])).toMatchObject({ code: 0 });
    expect((await setUp()).stderr).toContain("Signing secret is missing.");
    await home.run(["config", "set", "SLACK_SIGNING_SECRET", slack.signingSecret]);
    const done = await setUp();
    expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining("Slack knows it as hermes.") });
  });
});
