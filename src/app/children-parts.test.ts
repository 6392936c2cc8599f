import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { SessionId } from "#conversation";
import { never } from "#foundation/lifecycle/abort";
import {
  calls,
  type ModelServer,
  type ReceivedRequest,
  says,
  startModelServer,
} from "../../test/fakes/model-server/index.ts";
import { customModel, hermesStage } from "./testing.ts";

const goal = "Count all the pears";

const isChild = ({ messages }: ReceivedRequest): boolean =>
  messages.some(({ role, content }) => role === "user" && JSON.stringify(content).includes(goal)) &&
  !messages.some(({ content }) => JSON.stringify(content ?? "").includes("Let a child"));

const isSummary = ({ messages }: ReceivedRequest): boolean =>
  !messages.some(({ role }) => role === "tool") && JSON.stringify(messages).includes("seq 1");

/** The parent delegates once; the child does what it is told. */
async function withChild(
  answer: (request: ReceivedRequest) => ReturnType<typeof says> | undefined,
): Promise<ModelServer> {
  const server = await startModelServer();
  server.onRequest((request) => (isChild(request) || isSummary(request) ? answer(request) : undefined));
  server.script(calls("delegate_task", { goal }));
  server.otherwise(says("Done."));
  return server;
}

describe("a child agent", () => {
  it("thinks as long as delegation.reasoning_effort says, its parent as before [30:3.11]", async () => {
    await using server = await withChild(() => says("Seven."));
    const config = "agent:\n  reasoning_effort: low\ndelegation:\n  reasoning_effort: high\n";
    const model = customModel(server.responsesBaseUrl, "  api_mode: codex_responses\n");
    await using stage = await hermesStage(`${model}${config}`);
    await stage.ask("Let a child count.");
    const effort = (of: boolean): readonly unknown[] =>
      server.requests.filter((request) => isChild(request) === of).map(({ body }) => body["reasoning"]);
    expect(effort(true)).toMatchObject([{ effort: "high" }]);
    expect(effort(false)[0]).toMatchObject({ effort: "low" });
  });

  it("has its calls in the books of its own session, so that nothing is spent unseen", async () => {
    await using server = await withChild(() => says("Seven."));
    await using stage = await hermesStage(customModel(server.chatBaseUrl));
    await stage.ask("Let a child count.");
    const { store } = stage.hermes;
    const [parent] = await store.sessions.list({ signal: never });
    const [child] = await store.sessions.descendants(parent?.id ?? ("" as SessionId));
    const booked = async () => (await store.sessions.get(child ?? ("" as SessionId)))?.usage.output ?? 0;
    await expect.poll(booked).toBeGreaterThan(0);
  });

  it.each([
    { setting: "", isRun: false },
    { setting: "delegation:\n  subagent_auto_approve: true\n", isRun: true },
  ])(
    "has its flagged commands answered without asking anybody: run is $isRun [30:3.11] [10:A9.9]",
    async ({ setting, isRun }) => {
      await using server = await withChild(({ messages }) =>
        messages.some(({ role }) => role === "tool") ? says("Tried.") : calls("terminal", { command: "rm -rf build" }),
      );
      await using stage = await hermesStage(customModel(server.chatBaseUrl, setting));
      const build = path.join(stage.folder, "build");
      await mkdir(build);
      await stage.ask("Let a child clean up.");
      expect(existsSync(build)).toBe(!isRun);
      expect(stage.events.some(({ type }) => type === "approval-request")).toBe(false);
    },
  );

  it("shortens its own conversation when its window fills, and finishes [10:COMP-1] [30:3.11]", async () => {
    let rounds = 0;
    await using server = await withChild((request) => {
      if (isSummary(request)) return says("## Summary\nNumbers were printed; the counting goes on.");
      rounds += 1;
      return rounds <= 8 ? calls("terminal", { command: `seq 1 ${2_000 + rounds}` }) : says("Seven pears.");
    });
    const config = "  context_length: 24000\n  allow_small_context: true\n";
    await using stage = await hermesStage(customModel(server.chatBaseUrl, config));
    const ended = await stage.ask("Let a child count.");
    expect(ended.completed).toBe(true);
    const told = JSON.stringify(server.requests.filter((request) => !isChild(request)).at(-1)?.messages);
    const child = server.requests.filter(isChild);
    expect(told + JSON.stringify(stage.session.history)).toContain("Seven pears.");
    expect(child.length).toBeGreaterThanOrEqual(9);
    const sizes = child.map(({ rawBody }) => rawBody.length);
    expect(Math.max(...sizes)).toBeLessThan(24_000 * 4);
    expect(sizes.some((size, index) => index > 0 && size < (sizes[index - 1] ?? 0))).toBe(true);
    expect(JSON.stringify(child.at(-1)?.messages)).toContain(goal);
  });
});
