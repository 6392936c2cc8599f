import { describe, expect, it } from "vitest";
import { textOf } from "#conversation";
import { freePort } from "../fakes/free-port.ts";
import { calls, says, slow } from "../fakes/model-server/index.ts";
import { hasPostgres, useDeployments } from "./setting.ts";

const setting = useDeployments();

describe("what came while nothing ran", { timeout: 180_000 }, () => {
  const inSlack = (number: number) => ({
    type: "message",
    channel: "D0000000001",
    channel_type: "im",
    user: "U7",
    team: "T1",
    ts: `1690${String(number).padStart(3, "0")}.000100`,
    text: `message #${number}`,
  });
  const heard = (shown: readonly string[]) => shown.flatMap((text) => text.match(/#\d+/gu) ?? []);
  const all = Array.from({ length: 10 }, (_, index) => `#${index + 1}`);

  it("is answered after the start, in the order of its chat [40:A-SCL-13] [40:SCL-5]", async () => {
    const { model, telegram, slack, deploy, texts } = await setting({
      isShared: false,
      config: ["display: { busy_input_mode: queue }"],
      // One conversation for all of a direct chat: what was said first is answered first.
      slackRules: ", dm_top_level_threads_as_sessions: false",
    });
    model.otherwise((request) => says(`Heard ${heard([newWords(request.messages)]).join(" ")}.`));
    for (let number = 1; number <= 10; number += 1) {
      telegram.text(`message #${number}`);
      slack.event(inSlack(number));
    }
    await deploy("telegram", "slack").start();
    await expect.poll(() => heard(texts()), { timeout: 90_000 }).toEqual(all);
    await expect.poll(() => heard(slack.shown().map(({ text }) => text)), { timeout: 90_000 }).toEqual(all);
  });

  it("is answered in ten conversations where every message begins one, and a slow answer holds up no other [40:SCL-18] [40:FLW-7]", async () => {
    const { model, slack, deploy } = await setting({ isShared: false });
    model.otherwise((request) => {
      const [number = ""] = heard([newWords(request.messages)]);
      const answer = says(`Heard ${number}.`);
      return number === "#1" ? slow(answer) : answer;
    });
    for (let number = 1; number <= 10; number += 1) slack.event(inSlack(number));
    await deploy("slack").start();
    const answers = () => slack.shown().map(({ text, thread_ts: thread }) => `${thread} ${text}`);
    const expected = (numbers: readonly number[]) => numbers.map((one) => `${inSlack(one).ts} Heard #${one}.`);
    const others = [2, 3, 4, 5, 6, 7, 8, 9, 10];
    await expect.poll(() => answers().toSorted(), { timeout: 90_000 }).toEqual(expected(others).toSorted());
    model.release(Number.POSITIVE_INFINITY);
    await expect.poll(answers, { timeout: 90_000 }).toContain(expected([1])[0]);
    expect(answers().length).toBe(10);
  });
});

describe("a platform that takes nothing for a while", { timeout: 180_000 }, () => {
  it("gets the answer afterwards, once, and nothing that only shows progress piles up [40:A-SCL-10] [40:SCL-17] [40:SCL-21]", async () => {
    const { model, telegram, deploy, shows } = await setting({
      isShared: false,
      config: ["streaming: { enabled: true }"],
    });
    model.script(says("The whole answer, which takes a while to be written down in the chat."));
    const refusals = Array.from({ length: 6 }, () => ({
      kind: "status" as const,
      status: 429,
      description: "Too Many Requests",
      retryAfter: 1,
    }));
    telegram.trouble("sendMessage", ...refusals);
    const gateway = await deploy("telegram").start();
    await gateway.ready("telegram");
    telegram.text("tell me");
    await shows(["The whole answer, which takes a while to be written down in the chat."]);
    const sends = telegram.calls.filter(({ method }) => method === "sendMessage" || method === "editMessageText");
    expect(sends.length).toBeLessThan(refusals.length + 4);
  });
});

describe.skipIf(!hasPostgres)("one gateway and many", { timeout: 240_000 }, () => {
  it("a database that is away loses nothing, and calls are refused until it is back [40:A-SCL-9] [40:SCL-20]", async () => {
    const port = await freePort();
    const { model, telegram, deploy, shows, postgres } = await setting({
      config: [
        `webhook: { host: 127.0.0.1, port: ${port} }`,
        "platforms: { webhook: { enabled: true, extra: { routes: { ci: { secret: INSECURE_NO_AUTH, prompt: 'Build {n}' } } } } }",
      ],
    });
    model.otherwise(says("Here I am."));
    const call = async (): Promise<number> => {
      const headers = { "content-type": "application/json", "x-request-id": "build-1" };
      const answer = await fetch(`http://127.0.0.1:${port}/webhooks/ci`, { method: "POST", headers, body: '{"n":1}' });
      await answer.text();
      return answer.status;
    };
    const gateway = deploy("telegram");
    const [ingress, worker] = [await gateway.start(["ingress"]), await gateway.start(["worker"])];
    await Promise.all([ingress.ready("telegram", "webhook"), worker.ready()]);
    await postgres?.stop();
    expect(await call()).toBe(503);
    telegram.text("is anybody there?");
    // Whether it is fetched and cannot be written down, or not even asked for: the service is not told that it arrived.
    expect(await call()).toBe(503);
    expect(telegram.confirmedUpTo()).toBeLessThanOrEqual(1001);
    await postgres?.start();
    await shows(["Here I am."]);
    // Who was refused calls again, and is heard.
    await expect.poll(call, { timeout: 60_000 }).toBeLessThan(300);
    await model.received(2);
    expect(JSON.stringify(model.requests)).toContain("Build 1");
  });

  it("show the same and tell the model the same [40:A-SCL-15] [40:SCL-29]", async () => {
    const played = async (isShared: boolean) => {
      const { model, telegram, deploy, texts } = await setting({ isShared });
      model.script(
        says("**Hello.**"),
        calls("todo", { todos: [{ id: "1", content: "x", status: "pending" }] }),
        says("Planned."),
        calls("terminal", { command: "rm -rf ./build" }),
        says("Cleaned up."),
        says("Fresh."),
      );
      const gateway = deploy("telegram");
      const members = isShared
        ? [
            await gateway.start(["ingress", "scheduler"]),
            await gateway.start(["worker"]),
            await gateway.start(["worker"]),
          ]
        : [await gateway.start()];
      await members[0]?.ready("telegram");
      for (const member of members) await member.ready();
      const last = (text: string) => expect.poll(() => texts().at(-1), { timeout: 60_000 }).toContain(text);
      telegram.text("hello");
      await last("Hello.");
      telegram.text("make a plan");
      await last("Planned.");
      telegram.text("clean up");
      const asked = () => telegram.shown().find(({ buttons }) => buttons.length > 0);
      await expect.poll(asked, { timeout: 60_000 }).toBeDefined();
      telegram.press(asked()?.messageId ?? "", asked()?.buttons[0] ?? "");
      await last("Cleaned up.");
      telegram.text("/new");
      await expect.poll(() => texts().at(-1), { timeout: 60_000 }).not.toContain("Cleaned up.");
      telegram.text("good morning");
      await last("Fresh.");
      const told = model.requests.map(({ messages }) =>
        messages
          .filter(({ role }) => role !== "system")
          .map(({ role, content, tool_calls: made }) => [role, textOf(content as string), names(made)]),
      );
      // A line about a running tool is shown where there was time for one.
      return {
        told,
        shown: texts()
          .map(withoutIds)
          .filter((text) => !/^[^\w]*(?:todo|terminal|\S+ todo|\S+ terminal)/u.test(text)),
      };
    };
    const [alone, together] = [await played(false), await played(true)];
    expect(together.told).toEqual(alone.told);
    expect(together.shown).toEqual(alone.shown);
  });
});

/** What the model has not answered yet. */
function newWords(messages: readonly Readonly<Record<string, unknown>>[]): string {
  const at = messages.findLastIndex(({ role }) => role === "assistant");
  return messages
    .slice(at + 1)
    .map(({ content }) => textOf(content as string))
    .join(" ");
}

/** Sessions are named by the moment they began. */
function withoutIds(text: string): string {
  return text.replaceAll(/\d{8}_\d{6}_[0-9a-f]{8}/gu, "<session>");
}

function names(made: unknown): readonly string[] {
  return Array.isArray(made) ? made.map((call: { function: { name: string } }) => call.function.name) : [];
}
