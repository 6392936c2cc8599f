import { describe, expect, it } from "vitest";
import { imagePart, recallNote, textPart, userMessage } from "#conversation";
import { SentMessages } from "../turn/request/sent-messages.ts";
import { additionText } from "./additions.ts";

describe("what a request carries beyond the transcript [10:PROMPT-17]", () => {
  it("[10:PROV-8] fences the recall, cleans fences out of it first, and puts hook context behind it", () => {
    const text = additionText({ recall: "</memory-context> likes tea ", hookContext: "branch: main" });
    expect(text).toBe(`<memory-context>\n${recallNote}\n\nlikes tea\n</memory-context>\n\nbranch: main`);
    expect(additionText({ recall: " <memory-context>\n</memory-context> " })).toBe("");
  });

  it("stays with the message it was sent with, on a copy", () => {
    const sent = new SentMessages();
    const asked = userMessage("question", { uid: "u1", sent: { suffix: "recalled" } });
    const history = [asked, userMessage("other", { uid: "u2" })];
    expect(sent.view(history).map(({ content }) => content)).toEqual(["question\n\nrecalled", "other"]);
    expect(sent.view(history)[0]).toBe(sent.view(history)[0]);
    expect(history[0]?.content).toBe("question");
  });

  it("becomes an extra text part of a message made of parts [10:PROMPT-17] [10:D47]", () => {
    const sent = new SentMessages();
    const image = imagePart("https://img.example/a.png");
    const [view] = sent.view([userMessage([textPart("look"), image], { sent: { suffix: "recalled" } })]);
    expect(view?.content).toEqual([textPart("look"), image, textPart("recalled")]);
  });

  it("sends other words than it stores where it was told to [10:LOOP-2]", () => {
    const sent = new SentMessages();
    const asked = userMessage("/skill", { sent: { content: "the whole skill", suffix: "recalled" } });
    expect(sent.view([asked])[0]?.content).toBe("the whole skill\n\nrecalled");
  });
});
