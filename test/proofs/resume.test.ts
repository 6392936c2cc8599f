import { describe, expect, it } from "vitest";
import { makeProject, playSession } from "./prefix-session.ts";

const turns = 8;

async function bodies(project: string, plan: { contextWindow: number; resumeAfter: (turn: number) => boolean }) {
  await using session = await playSession({ turns, fallbackIn: 3, ...plan }, project);
  session.server.assertClean();
  expect(session.failed).toEqual([]);
  return {
    sent: session.server.requests.map(({ rawBody }) => rawBody),
    compressions: session.compressions,
    resumes: session.resumes,
  };
}

describe("a resumed session", () => {
  it("sends byte for byte what it would have sent without the interruption, after every turn [10:PROMPT-18]", async () => {
    await using project = await makeProject();
    const room = { contextWindow: 500_000 };
    const straight = await bodies(project.folder, { ...room, resumeAfter: () => false });
    const resumed = await bodies(project.folder, { ...room, resumeAfter: () => true });
    expect(straight.resumes).toBe(0);
    expect(resumed.resumes).toBe(turns - 1);
    expect(straight.sent).toHaveLength(turns * 5 + 1);
    expect(resumed.sent).toEqual(straight.sent);
  });

  it("does so for each single turn after which it may be interrupted", async () => {
    await using project = await makeProject();
    const room = { contextWindow: 500_000 };
    const straight = await bodies(project.folder, { ...room, resumeAfter: () => false });
    for (let after = 0; after < turns - 1; after += 1) {
      const resumed = await bodies(project.folder, { ...room, resumeAfter: (turn) => turn === after });
      expect(resumed.sent, `resumed after turn ${after}`).toEqual(straight.sent);
    }
  });
});
