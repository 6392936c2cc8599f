import { describe, expect, it } from "vitest";
import { imageProblem, sentImageKind } from "./image-kind.ts";

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
