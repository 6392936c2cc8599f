import { describe, expect, it } from "vitest";
import { announced, sudoFindings } from "./approval.ts";

describe("approvals.sudo: ask", () => {
  it.each([
    ["sudo ls", 1],
    ["true && sudo -n ls", 1],
    ["echo sudo", 0],
    ["ls", 0],
  ])("finds in %j %i reason to ask [30:4.9]", (command, count) => {
    expect(sudoFindings(command)).toHaveLength(count);
  });
});

describe("an approver that plugins hear of", () => {
  it("keeps its answer when the time is up before plugins have heard of it [30:7.5]", async () => {
    const stop = new AbortController();
    const heard: string[] = [];
    const approver = announced(
      {
        ask: () => {
          stop.abort();
          return Promise.resolve("once");
        },
      },
      {
        has: () => true,
        notify: (name, _payload, signal) => {
          signal.throwIfAborted();
          heard.push(name);
          return Promise.resolve();
        },
      },
    );
    const request = {
      id: "1",
      tool: "terminal",
      summary: "rm x",
      findings: [],
      choices: [],
      isDestructive: true,
      sessionKey: "k",
      taskId: "t",
    };
    expect(await approver.ask(request, stop.signal)).toBe("once");
    expect(heard).toEqual(["approval_requested", "approval_resolved"]);
  });
});
