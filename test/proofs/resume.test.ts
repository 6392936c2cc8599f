import { describe, expect, it } from "vitest";
import { type KilledSession, playKilled } from "./killed-session.ts";
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

describe("a session whose process is killed", () => {
  /** Small enough that results are shortened, and that a summary takes the place of the beginning. */
  const plan = { turns: 3, contextWindow: 5_500, protectLastN: 4, resumeAfter: () => false };

  it("sends the same requests whichever event was the last, also around a compression", {
    timeout: 300_000,
  }, async () => {
    await using project = await makeProject();
    const straight = await playKilled(plan, project.folder);
    expect(straight).toMatchObject({ compressions: 2, failed: [] });
    expect(straight.sent).toHaveLength(15);
    const cut: number[] = [];
    for (let at = 0; at < straight.events.length; at += 1) {
      const killed = await playKilled(plan, project.folder, at);
      expect(killed.failed).toEqual([]);
      const where = `killed after event ${at}, ${straight.events[at]}`;
      if (isCutOff(killed)) {
        // Nobody knows whether a note was taken: the model is told so, behind everything it had been told before.
        cut.push(at);
        const before = named(killed.sent).slice(0, killed.sentBefore);
        expect(before, where).toEqual(named(straight.sent).slice(0, killed.sentBefore));
      } else expect(named(withoutRepeats(killed.sent)), where).toEqual(named(straight.sent));
    }
    // One note is taken: the two events of that call are the only ones after which something is not known.
    expect(cut.map((at) => straight.events[at])).toEqual(["tool-start", "tool-end"]);
  });

  function isCutOff({ sent }: KilledSession): boolean {
    return sent.some((body) => body.includes("may or may not have taken effect"));
  }

  /** Whoever was killed before an answer was stored asks the same once more. */
  function withoutRepeats(sent: readonly string[]): readonly string[] {
    return sent.filter((body, index) => body !== sent[index - 1]);
  }

  /** Ids of messages are made up anew in every run; what counts is which ones are the same. */
  function named(sent: readonly string[]): readonly string[] {
    const names = new Map<string, string>();
    return sent.map((body) =>
      body.replace(/msg_[0-9a-z]{26}/g, (id) => {
        const name = names.get(id) ?? `message ${names.size}`;
        names.set(id, name);
        return name;
      }),
    );
  }
});
