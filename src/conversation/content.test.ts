import { describe, expect, it } from "vitest";
import { imagePart, imagesOf, isEmptyContent, textOf, textPart } from "./content.ts";

describe("content", () => {
  it("gives its words, parts by line and images left out", () => {
    expect(textOf("hi")).toBe("hi");
    expect(textOf([textPart("a"), imagePart("u"), textPart("b")])).toBe("a\nb");
    expect(textOf(null)).toBe("");
  });

  it("is empty only when it says and shows nothing", () => {
    expect(isEmptyContent(" \n")).toBe(true);
    expect(isEmptyContent([])).toBe(true);
    expect(isEmptyContent([textPart(" ")])).toBe(true);
    expect(isEmptyContent([imagePart("u")])).toBe(false);
    expect(imagesOf([textPart("a"), imagePart("u")])).toEqual([imagePart("u")]);
  });
});
