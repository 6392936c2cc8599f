import { describe, expect, it } from "vitest";
import { assistantMessage, type SessionId, userMessage } from "#conversation";
import { Conversation } from "./conversation.ts";
import { summaryToken, taskLines } from "./summary-message.ts";
import { targetOn } from "./testing/harness.ts";

const target = targetOn({ chatBaseUrl: "http://127.0.0.1:9/v1" } as Parameters<typeof targetOn>[0]);

describe("a resumed conversation", () => {
  it("takes its open tasks from the summary when compression took the call away [10:COMP-29]", () => {
    const open = { id: "2", content: "write the report", status: "in_progress" } as const;
    const summary = `${summaryToken}: earlier turns]\n\n${taskLines([open]).join("\n")}`;
    const history = [userMessage(summary), assistantMessage("Going on.")];
    const conversation = new Conversation({ sessionId: "s" as SessionId, history, target });
    expect(conversation.todos.items).toEqual([open]);
  });

  it("has an empty list when nothing was planned", () => {
    const conversation = new Conversation({ sessionId: "s" as SessionId, history: [userMessage("hi")], target });
    expect(conversation.todos.items).toEqual([]);
  });
});
