import { describe, expect, it } from "vitest";
import { chatWords } from "./chat-words.ts";

describe("hints in the chat", () => {
  it.each([
    ["Choose one with: hermes model", "Choose one with: /connect"],
    ["Choose a model from the list with: hermes model", "Choose a model from the list with: /model"],
    [
      "Wait a moment and try again, or switch with: hermes model",
      "Wait a moment and try again, or switch with: /model",
    ],
    ["Log in again with: hermes auth add nous", "Log in again with: /connect"],
    ["See them with: hermes sessions list", "See them with: /resume"],
    ["Save it with: hermes model set x", "Save it with: hermes model set x"],
    ["Run: hermes doctor", "Run: hermes doctor"],
    ["Or: hermes config set display.image_mode native", "Or: /settings display.image_mode native"],
    ["Run: hermes config set DAYTONA_API_KEY <key>", "Run: hermes config set DAYTONA_API_KEY <key>"],
  ])("%s", (said, shown) => {
    expect(chatWords(said, "hermes")).toBe(shown);
  });

  it("call the program as it was started", () => {
    expect(chatWords("Run: hermes doctor", "npm start --")).toBe("Run: npm start -- doctor");
    expect(chatWords("Hermes hermes is here", "npm start --")).toBe("Hermes hermes is here");
  });
});
