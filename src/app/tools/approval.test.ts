import { describe, expect, it } from "vitest";
import { announcements, sudoFindings } from "./approval.ts";

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

describe("an approval that plugins hear of", () => {
  it("is told also when the time for answering is up meanwhile [30:7.5]", async () => {
    const heard: unknown[] = [];
    const { onAsk, onAnswer } = announcements((key) => ({
      has: () => true,
      notify: (name, payload, signal) => {
        signal.throwIfAborted();
        heard.push([key, name, payload]);
        return Promise.resolve();
      },
    }));
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
    const stop = new AbortController();
    await onAsk?.(request, stop.signal);
    stop.abort();
    await onAnswer?.(request, "once");
    expect(heard).toEqual([
      ["k", "approval_requested", { command: "rm x", keys: [] }],
      ["k", "approval_resolved", { command: "rm x", keys: [], choice: "once", by: "approver" }],
    ]);
  });
});
