import { describe, expect, it } from "vitest";
import { imagePart, imageProblem, imagesOf, isEmptyContent, sentImageKind, textOf, textPart } from "./content.ts";

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

const bytes = (head: string): Uint8Array => Buffer.from(`${head}${"\0".repeat(40)}`, "latin1");

describe("images", () => {
  it.each([
    ["\x89PNG\r\n\x1a\n", "png"],
    ["\xff\xd8\xff\xe0", "jpeg"],
    ["GIF89a", "gif"],
    ["RIFF\x10\0\0\0WEBPVP8 ", "webp"],
  ])("are known by their first bytes: %j is %s [20:R10.24]", (head, kind) => {
    expect(sentImageKind(bytes(head))).toBe(kind);
    expect(imageProblem(bytes(head))).toBeUndefined();
  });

  it.each([
    ["BM\x36\0", "a BMP image"],
    ["II*\0", "a TIFF image"],
    ["MM\0*", "a TIFF image"],
    ["\0\0\x01\0\x01\0", "an icon"],
    ['<?xml version="1.0"?><svg>', "an SVG drawing"],
    ["<svg xmlns=", "an SVG drawing"],
    ["hello", "not a PNG, JPEG, GIF or WebP image"],
    ["", "not a PNG, JPEG, GIF or WebP image"],
  ])("that no model takes are named: %j is %s [20:R8.12]", (head, words) => {
    expect(sentImageKind(Buffer.from(head, "latin1"))).toBeUndefined();
    expect(imageProblem(Buffer.from(head, "latin1"))).toContain(words);
  });
});
