import { afterEach, describe, expect, it } from "vitest";
import type { ApprovalRequest } from "#tools";
import { fakeTool } from "#tools/testing";
import { calls, reply, says } from "../../../test/fakes/model-server/index.ts";
import type { Outbound } from "../platform/outbound.ts";
import { closeGateways, gateway } from "../testing/gateway-harness.ts";

afterEach(closeGateways);

const key = "agent:main:fake:dm:1";

const request = {
  id: "req1",
  tool: "terminal",
  summary: "rm -rf build",
  findings: [{ key: "f", description: "deletes files", severity: "ask", source: "pattern" }],
  choices: ["once", "session", "always", "deny"],
  isDestructive: true,
  sessionKey: "",
  taskId: "",
} as const satisfies ApprovalRequest;

/** A chat in which the model asks before it runs something. */
async function asked(options: { groupPerUser?: boolean; takesAnswers?: false } = {}) {
  const answers: unknown[] = [];
  const opened = await gateway({
    ...options,
    tools: ({ approver }) => [
      fakeTool("terminal", {
        async execute(_args, { signal }) {
          const answer = await approver.ask(request, signal);
          answers.push(answer);
          return { content: `answered ${JSON.stringify(answer)}` };
        },
      }),
    ],
  });
  const buttons = (at = 0): readonly string[] => {
    const shown = opened.sent[at]?.message as Extract<Outbound, { kind: "text" }>;
    return (shown.buttons ?? []).flat().map(({ data }) => data);
  };
  opened.server.script(calls("terminal", { command: "rm -rf build" }), says("Done."));
  opened.start();
  return { ...opened, answers, buttons };
}

describe("an approval in a chat", () => {
  it("is a message with buttons; the first press counts, and the message shows who decided [40:STR-17] [40:STR-18] [40:A-STR-11]", async () => {
    const { intake, message, heard, press, buttons, texts, answers, sent } = await asked();
    await intake.admit(message("clean up"));
    await heard(1);
    expect(texts()[0]).toContain("rm -rf build");
    for (const data of buttons()) expect(data.length).toBeLessThanOrEqual(60);
    const [once = ""] = buttons();
    const said = await Promise.all([press(once), press(once)]);
    expect(said.sort()).toEqual(["Allowed once", expect.stringMatching(/already|no longer/u)]);
    await heard(3);
    expect(answers).toEqual(["once"]);
    expect(sent[1]?.message).toMatchObject({ kind: "edit", buttons: [] });
    expect(texts()[1]).toContain("Allowed once");
    expect(texts()[2]).toBe("Done.");
    expect(await press(once)).toContain("no longer open");
  });

  it("is bound to the person asked; strangers and others change nothing [40:AUT-10] [40:STR-19] [40:A-AUT-10]", async () => {
    const { intake, message, heard, press, buttons, answers } = await asked();
    const source = { ...message("").source, userId: "8", userName: "Bob" };
    await intake.admit(message("clean up", { source }));
    await heard(1);
    const [once = "", , always = "", deny = ""] = buttons();
    expect(await press(once, "stranger")).toContain("may not");
    expect(await press(once, "9")).toContain("somebody else");
    expect(await press(always, "8")).toContain("Only admins");
    expect(answers).toEqual([]);
    expect(await press(deny, "8")).toBe("Denied");
    await heard(3);
    expect(answers).toEqual(["deny"]);
  });

  it("is answered by /approve and /deny too, at once, without stopping the turn [40:A-FLW-7] [40:FLW-11]", async () => {
    const { intake, message, heard, answers, texts, press, buttons } = await asked();
    await intake.admit(message("clean up"));
    await heard(1);
    await intake.admit(message("/approve session"));
    await heard(3);
    expect(answers).toEqual(["session"]);
    expect(texts()[1]).toContain("Allowed for this session");
    expect(await press(buttons()[0] ?? "")).toContain("no longer open");
  });

  it("of several is answered one after the other, in the order they were asked [40:STR-16] [40:A-STR-9]", async () => {
    const done: string[] = [];
    const { intake, message, server, start, texts } = await gateway({
      tools: ({ approver }) => [
        fakeTool("terminal", {
          async execute(args, { signal }) {
            const command = String((args as { command?: unknown }).command);
            const answer = await approver.ask({ ...request, id: `req-${command}`, summary: command }, signal);
            if (answer === "once") done.push(command);
            return { content: `answered ${JSON.stringify(answer)}` };
          },
        }),
      ],
    });
    const both = reply([calls("terminal", { command: "first" }), calls("terminal", { command: "second" })]);
    server.script(both, says("Done."));
    start();
    const shows = (text: string) => expect.poll(() => texts().join("\n"), { timeout: 30_000 }).toContain(text);
    await intake.admit(message("do both"));
    await shows("first");
    await intake.admit(message("/approve"));
    await shows("second");
    await expect.poll(() => done, { timeout: 30_000 }).toEqual(["first"]);
    await intake.admit(message("/approve"));
    await shows("Done.");
    expect(done).toEqual(["first", "second"]);
    const before = texts().length;
    await intake.admit(message("/approve"));
    await expect.poll(() => texts().length, { timeout: 30_000 }).toBeGreaterThan(before);
    expect(texts().at(-1)).toMatch(/nothing|no /iu);
    expect(done).toHaveLength(2);
  });

  it("allows nothing for good to who is no admin [40:AUT-18]", async () => {
    const { intake, message, heard, answers, texts } = await asked();
    const source = { ...message("").source, userId: "8" };
    await intake.admit(message("clean up", { source }));
    await heard(1);
    await intake.admit(message("/approve always", { source }));
    await heard(2);
    expect(texts()[1]).toContain("Only admins");
    expect(answers).toEqual([]);
  });
});

describe("a question in a chat", () => {
  it("takes a number, and the words begin no turn [40:STR-21] [40:STR-22] [40:A-STR-12]", async () => {
    const { intake, message, server, start, heard, texts, store } = await gateway();
    server.script(calls("clarify", { question: "Which env?", choices: ["dev", "prod"] }), says("On prod."));
    start();
    await intake.admit(message("deploy"));
    await heard(1);
    expect(texts()[0]).toContain("Which env?");
    await intake.admit(message("2"));
    await heard(3);
    expect(JSON.stringify(server.requests[1])).toContain("prod");
    expect(texts()).toEqual([expect.anything(), expect.stringContaining("prod"), "On prod."]);
    expect(server.requests.length).toBe(2);
    expect(await store.gatewayTurns.unfinished(key)).toEqual([]);
  });

  it("that a restart lost says so, and the turn goes on [40:STR-20] [40:A-STR-13]", async () => {
    const { intake, message, server, start, heard, texts } = await gateway();
    server.script(calls("clarify", { question: "Which env?", choices: ["dev", "prod"] }), says("I took dev."));
    const end = start();
    await intake.admit(message("deploy"));
    await heard(1);
    await end();
    start();
    await heard(3);
    expect(texts()[1]).toContain("lost in a restart");
    expect(texts()[2]).toBe("I took dev.");
  });
});

it("where nobody can be asked the answer is no, and the result is told where it was wanted [40:WHK-12]", async () => {
  const { intake, message, heard, answers, sent } = await asked({ takesAnswers: false });
  const answerTo = { platform: "fake", account: "bot", chatId: "9", chatType: "dm" } as const;
  await intake.admit(message("clean up", { answerTo }));
  await heard(1);
  expect(JSON.stringify(answers)).toContain("deny");
  expect(sent.map(({ to }) => to.chatId)).toEqual(["9"]);
});
