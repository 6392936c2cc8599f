import { afterEach, describe, expect, it } from "vitest";
import { silentLogger } from "#foundation/files/logger";
import { FakeClock } from "#foundation/testing/fake-clock";
import { result } from "#tools";
import { createGate, fakeTool, Grants, testScope, YoloSwitch } from "#tools/testing";
import { calls, reply, says } from "../../../test/fakes/model-server/index.ts";
import type { AgentRequest } from "../services/session-agent.ts";
import { command, type HarnessOptions, openHarness, say } from "../testing/harness.ts";

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

async function harness(input: HarnessOptions = {}) {
  const one = await openHarness(input);
  open.push(one);
  return one;
}

/** A tool that runs commands through the real gate, with the session as the one who decides. */
function gatedTool(spec: AgentRequest, clock: FakeClock) {
  const gate = createGate({
    approver: spec.approver,
    grants: new Grants({ load: () => [], add: () => Promise.resolve() }, { clock, logger: silentLogger }),
    yolo: new YoloSwitch({ forProcess: false, isAllowed: true }),
    mode: () => "manual",
    surfaceRules: { cron: "deny", headless: "deny" },
    permissions: undefined,
    location: (context) => ({
      cwd: context.cwd,
      home: "/home/me",
      hermesHome: "/home/me/.hermes",
      tempDirs: ["/tmp"],
      workspace: "/home/me/work",
    }),
    isContained: () => false,
    audit: () => undefined,
    clock,
  });
  return fakeTool("terminal", {
    parameters: { type: "object", properties: { command: { type: "string" } } },
    async execute(args, { signal }) {
      const verdict = await gate.checkCommand(String(args["command"]), {
        tool: "terminal",
        scope: testScope({ key: spec.sessionId, approver: spec.approver }),
        taskId: "t",
        cwd: "/home/me",
        terminalKind: "local",
        signal,
      });
      return result(verdict.kind === "run" ? { output: "ran" } : { error: verdict.reason });
    },
  });
}

const rm = (path: string) => calls("terminal", { command: `rm -rf ${path}` });

describe("an approval", () => {
  it("is asked of the surface and runs when it is given [20:R10.34]", async () => {
    const clock = new FakeClock();
    const { open, server, event } = await harness({ clock, tools: (spec) => [gatedTool(spec, clock)] });
    server.script(rm("build"), says("Done."));
    const session = await open();
    const submission = await session.submit({ text: "Clean" });
    const request = await event("approval-request", session);
    expect(request).toMatchObject({ tool: "terminal", summary: "rm -rf build" });
    session.answer(request.id, "once");
    session.approve(request.id, "once");
    expect(submission.kind === "turn" && (await submission.ended).text).toBe("Done.");
    expect(session.history[2]?.content).toContain("ran");
  });

  it("that nobody answers for 60 s is a no, and the result says so [20:A10.11]", async () => {
    const clock = new FakeClock();
    const { open, server, event, events } = await harness({ clock, tools: (spec) => [gatedTool(spec, clock)] });
    server.script(rm("build"), says("I may not."));
    const session = await open();
    const submission = await session.submit({ text: "Clean" });
    await event("approval-request", session);
    await clock.advance(59_000);
    expect(events.some((one) => one.type === "approval-response")).toBe(false);
    await clock.advance(2_000);
    expect(submission.kind === "turn" && (await submission.ended).text).toBe("I may not.");
    expect(String(session.history[2]?.content)).toContain("This was not run");
    expect(events).toContainEqual(expect.objectContaining({ type: "approval-response", choice: "deny" }));
  });

  it("waits as long as its surface gives a person, and has no other deadline [30:5.5]", async () => {
    const clock = new FakeClock();
    const answerTimes = {
      here: { approvalMs: 7_000, questionMs: 1 },
      elsewhere: { approvalMs: 900_000, questionMs: 1 },
    };
    const input = { clock, settings: { answerTimes }, tools: (spec: AgentRequest) => [gatedTool(spec, clock)] };
    const { open, server, event, events } = await harness(input);
    server.script(rm("build"), says("I may not."));
    const session = await open({ source: "telegram" });
    const submission = await session.submit({ text: "Clean" });
    await event("approval-request", session);
    await clock.advance(899_000);
    expect(events.some((one) => one.type === "approval-response")).toBe(false);
    await clock.advance(2_000);
    expect(submission.kind === "turn" && (await submission.ended).text).toBe("I may not.");
  });

  it("is denied at once where nobody can be asked, and the person is told what would allow it [20:R8.10]", async () => {
    const clock = new FakeClock();
    const { open, server, events } = await harness({ clock, tools: (spec) => [gatedTool(spec, clock)] });
    server.script(rm("build"), says("I may not."));
    const session = await open({ isInteractive: false });
    expect((await say(session, "Clean")).text).toBe("I may not.");
    expect(events.some((one) => one.type === "approval-request")).toBe(false);
    expect(String(session.history[2]?.content)).not.toContain("ran");
    expect(String(session.history[2]?.content)).toContain("nobody can be asked here");
    expect(events).toContainEqual(
      expect.objectContaining({ type: "notice", level: "warn", text: expect.stringContaining("--yolo allows it") }),
    );
  });

  it("waits for the one before it [20:R10.34]", async () => {
    const clock = new FakeClock();
    const tools = (spec: AgentRequest) => [{ ...gatedTool(spec, clock), concurrency: "safe" as const }];
    const { open, server, event, events } = await harness({ clock, tools });
    server.script(
      reply([calls("terminal", { command: "rm -rf one" }), calls("terminal", { command: "rm -rf two" })]),
      says("Half."),
    );
    const session = await open();
    const submission = await session.submit({ text: "Clean" });
    const asked = () => events.filter((one) => one.type === "approval-request");
    const first = await event("approval-request", session);
    await new Promise((resolve) => setImmediate(resolve));
    expect(asked()).toHaveLength(1);
    session.approve(first.id, "once");
    const next = new Promise<string>((resolve) => {
      session.subscribe((one) => void (one.type === "approval-request" && resolve(one.id)));
    });
    session.approve(await next, "deny");
    expect(submission.kind === "turn" && (await submission.ended).text).toBe("Half.");
    expect(asked()).toHaveLength(2);
  });

  it("in a chat is answered by /approve while the turn runs [20:A9.5] [20:R9.2]", async () => {
    const clock = new FakeClock();
    const { open, server, event } = await harness({ clock, tools: (spec) => [gatedTool(spec, clock)] });
    server.script(rm("build"), says("Done."));
    const session = await open({ source: "telegram" });
    const submission = await session.submit({ text: "Clean" });
    await event("approval-request", session);
    await command(session, "/approve");
    expect(submission.kind === "turn" && (await submission.ended).text).toBe("Done.");
    expect(await command(session, "/approve")).toContain("Nothing is waiting");
    expect(await command(session, "/deny")).toContain("Nothing is waiting");
  });
});

describe("a question", () => {
  const asks = calls("clarify", { question: "Tabs?", choices: ["yes", "no"] });

  it("goes to the surface and its answer to the model [20:R10.35]", async () => {
    const { open, server, event } = await harness();
    server.script(asks, says("Tabs."));
    const session = await open();
    const submission = await session.submit({ text: "Format" });
    const question = await event("question-request", session);
    expect(question).toMatchObject({ question: "Tabs?", choices: ["yes", "no"] });
    session.answer(question.id, "yes");
    if (submission.kind === "turn") await submission.ended;
    expect(session.history[2]?.content).toContain('"user_response":"yes"');
  });

  it("without an answer in 120 s, or cancelled, is left to the model [20:R10.35]", async () => {
    const clock = new FakeClock();
    const { open, server, event } = await harness({ clock });
    server.script(asks, says("Spaces."));
    const session = await open();
    const submission = await session.submit({ text: "Format" });
    await event("question-request", session);
    await clock.advance(121_000);
    if (submission.kind === "turn") expect((await submission.ended).text).toBe("Spaces.");
    expect(session.history[2]?.content).toContain("own judgement");
  });
});

describe("a password", () => {
  async function asking(clock: FakeClock) {
    let value: string | undefined = "unset";
    const tool = (spec: AgentRequest) =>
      fakeTool("terminal", {
        async execute(_args, { signal }) {
          const answer = await spec.prompter.secret({ prompt: "Password:", kind: "sudo" }, signal);
          value = answer.kind === "secret" ? answer.secret.reveal() : undefined;
          return result({ ok: true });
        },
      });
    const parts = await harness({ clock, tools: (spec) => [tool(spec)] });
    parts.server.script(calls("terminal", { command: "sudo ls" }), says("Done."));
    const session = await parts.open();
    const submission = await session.submit({ text: "Go" });
    const request = await parts.event("secret-request", session);
    return { ...parts, session, submission, request, value: () => value };
  }

  it("reaches who asked and no event, message or log [20:R10.36]", async () => {
    const { session, submission, request, value, events, logger, store } = await asking(new FakeClock());
    expect(request).toMatchObject({ what: "sudo", prompt: "Password:" });
    session.answer(request.id, "s3cr3t-word");
    if (submission.kind === "turn") await submission.ended;
    expect(value()).toBe("s3cr3t-word");
    const messages = await store.messages.conversation(session.info.id);
    expect(JSON.stringify([events, messages, logger.lines])).not.toContain("s3cr3t-word");
  });

  it("that is not typed within 45 s is skipped [20:R10.36]", async () => {
    const clock = new FakeClock();
    const { submission, value } = await asking(clock);
    await clock.advance(46_000);
    if (submission.kind === "turn") await submission.ended;
    expect(value()).toBeUndefined();
  });
});
