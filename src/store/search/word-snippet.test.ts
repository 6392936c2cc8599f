import { describe, expect, it } from "vitest";
import { parseQuery, wantedTerms } from "./query.ts";
import { wordSnippet } from "./word-snippet.ts";

const snippet = (content: string, query: string): string => wordSnippet(content, wantedTerms(parseQuery(query)));

describe("the snippet of a word search", () => {
  it("marks every match, folded like the index does [10:STORE-18] [10:A10.7]", () => {
    expect(snippet("a needle, NEEDLE and néedle", "needle")).toBe("a >>>needle<<<, >>>NEEDLE<<< and >>>néedle<<<");
  });

  it("marks phrases as a whole and prefixes as whole words", () => {
    expect(snippet("the chat-send feature", "chat-send")).toBe("the >>>chat-send<<< feature");
    expect(snippet("exact phrase, phrase exact", '"exact phrase"')).toBe(">>>exact phrase<<<, phrase exact");
    expect(snippet("deployment of it", "deploy*")).toBe(">>>deployment<<< of it");
  });

  it("shows forty words around the place with most matches, and where it was cut [10:STORE-18]", () => {
    const words = Array.from({ length: 200 }, (_, index) => `w${index}`);
    words[10] = "needle";
    words[150] = "needle";
    words[155] = "thread";
    const text = snippet(words.join(" "), "needle OR thread");
    expect(text).toMatch(/^\.\.\.w145 w146 w147 w148 w149 >>>needle<<< .*>>>thread<<<.* w184\.\.\.$/);
  });

  it("keeps the text around it as it is written", () => {
    expect(snippet("(see) x := y; done.", "y")).toBe("(see) x := >>>y<<<; done.");
  });

  it("falls back to the literal place, or the beginning", () => {
    expect(snippet("昨天讨论了记忆断裂", "记忆")).toBe("昨天讨论了>>>记忆<<<断裂");
    expect(snippet("nothing here", "absent")).toBe("nothing here");
    expect(snippet("", "absent")).toBe("");
  });
});
