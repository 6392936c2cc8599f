import { describe, expect, it } from "vitest";
import { loadPlatform } from "#gateway";
import { freePort } from "../../fakes/free-port.ts";
import { startSlackServer } from "../../fakes/platforms/slack-server.ts";
import { connectedTo, describePlatform } from "./suite.ts";

const platform = await loadPlatform("slack");

async function startKit(mode: "websocket" | "webhook") {
  const port = mode === "webhook" ? await freePort() : 0;
  const server = await startSlackServer(mode === "webhook" ? `http://127.0.0.1:${port}/slack/events` : undefined);
  const way: Readonly<Record<string, string>> =
    mode === "webhook"
      ? {
          SLACK_CONNECTION_MODE: mode,
          SLACK_SIGNING_SECRET: server.signingSecret,
          SLACK_WEBHOOK_PORT: String(port),
        }
      : { SLACK_APP_TOKEN: server.appToken };
  const chatId = "D0000000001";
  let count = 0;
  const message = (more: Record<string, unknown>) => {
    count += 1;
    server.event({
      type: "message",
      channel: chatId,
      channel_type: "im",
      user: "U7",
      team: "T1",
      ts: `169000${count}.000100`,
      ...more,
    });
  };
  return {
    server,
    env: { SLACK_BOT_TOKEN: server.botToken, ...way },
    wrongEnv: { SLACK_BOT_TOKEN: "xoxb-wrong", ...way },
    settings: { "slack.base_url": server.url },
    chatId,
    say: (text: string) => message({ text }),
    repeat: () => server.repeat(),
    sendFile: (bytes: Buffer, name: string) =>
      message({
        text: "",
        subtype: "file_share",
        files: [{ name, mimetype: "application/pdf", url_private: server.file(bytes), size: bytes.length }],
      }),
    shown: () => server.shown().map(({ text }) => text),
    nextSend: (trouble: "rate-limited" | "refused-markup" | "accept-then-cut" | "cut") =>
      server.trouble(
        "chat.postMessage",
        trouble === "rate-limited"
          ? "ratelimited"
          : trouble === "refused-markup"
            ? { error: "invalid_blocks" }
            : trouble,
      ),
    sends: () => server.calls.filter(({ method }) => method === "chat.postMessage").length,
    deliversAgain: true,
    deliversEach: mode === "webhook",
    breakConnection: () => server.dropSockets(),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

describe("over a socket", () => describePlatform(platform, () => startKit("websocket")));
describe("over calls", () => describePlatform(platform, () => startKit("webhook")));

type Call = ReturnType<Awaited<ReturnType<typeof startSlackServer>>["call"]>;
const post = async ({ url, headers, body }: Call) => await fetch(url, { method: "POST", headers, body });

describe("calls of Slack", () => {
  const event = {
    team_id: "T1",
    event: { type: "message", channel: "D0000000001", user: "U7", ts: "1.1", text: "hi" },
  };

  it("answer the challenge, and only a signed one", async () => {
    await using kit = await startKit("webhook");
    await using _at = await connectedTo(platform, kit);
    const call = kit.server.call("events_api", { type: "url_verification", challenge: "c-1" });
    const answer = await post(call);
    expect([answer.status, await answer.text()]).toEqual([200, "c-1"]);
    const unsigned = await post({ ...call, headers: { ...call.headers, "x-slack-signature": "v0=00" } });
    expect([unsigned.status, await unsigned.text()]).toEqual([401, ""]);
  });

  it("must be signed by Slack, and of now", async () => {
    await using kit = await startKit("webhook");
    await using at = await connectedTo(platform, kit);
    const call = kit.server.call("events_api", event);
    const answers = await Promise.all([
      post({ ...call, body: call.body.replace("hi", "ho") }),
      post({ ...call, headers: { ...call.headers, "x-slack-request-timestamp": "1531420618" } }),
      post({ ...call, headers: { "content-type": "application/json" } }),
      post({ ...call, url: call.url.replace("/slack/events", "/elsewhere") }),
      fetch(call.url),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 404, 405]);
    expect(at.ports.admitted).toEqual([]);
    expect((await post(call)).status).toBe(200);
    expect(at.ports.admitted.map(({ text }) => text)).toEqual(["hi"]);
  });

  it("are answered with success when what they bring is written down, and not before", async () => {
    await using kit = await startKit("webhook");
    await using at = await connectedTo(platform, { ...kit, failingAdmissions: 1 });
    const call = kit.server.call("events_api", event);
    expect((await post(call)).status).toBe(503);
    expect(at.ports.admitted).toEqual([]);
    const again = kit.server.call("events_api", event, {
      "x-slack-retry-num": "1",
      "x-slack-retry-reason": "http_error",
    });
    expect((await post(again)).status).toBe(200);
    expect(at.ports.admitted).toHaveLength(1);
  });

  it("bring commands and presses of buttons as forms", async () => {
    await using kit = await startKit("webhook");
    await using at = await connectedTo(platform, kit);
    const where = { team_id: "T1", channel_id: "D0000000001", user_id: "U7", user_name: "ann", trigger_id: "t.1" };
    const command = { ...where, command: "/hermes", text: "what is 1 & 1?" };
    expect((await post(kit.server.call("slash_commands", command))).status).toBe(200);
    expect(at.ports.admitted).toMatchObject([{ text: "what is 1 & 1?", source: { userName: "ann" } }]);
    const press = {
      type: "block_actions",
      team: { id: "T1" },
      user: { id: "U7", name: "ann" },
      channel: { id: "D0000000001" },
      message: { ts: "2.1" },
      actions: [{ value: "ask:1:once", action_ts: "3.1" }],
    };
    const answered = await post(kit.server.call("interactive", press));
    expect([answered.status, await answered.text()]).toEqual([200, ""]);
    expect(at.ports.presses).toMatchObject([{ data: "ask:1:once", messageId: "2.1", source: { userId: "U7" } }]);
    expect(kit.server.calls.at(-1)).toMatchObject({ method: "chat.postEphemeral", body: { user: "U7" } });
  });

  it("are not listened for without a signing secret: anybody could make them", async () => {
    await using kit = await startKit("webhook");
    const { SLACK_SIGNING_SECRET: _, ...env } = kit.env as Record<string, string>;
    await expect(connectedTo(platform, { ...kit, env })).rejects.toMatchObject({
      message: expect.stringContaining("SLACK_SIGNING_SECRET"),
      isRetryable: false,
    });
  });
});
