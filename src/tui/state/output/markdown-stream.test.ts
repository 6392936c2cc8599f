import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AnswerChunk, feedMarkdown, finishMarkdown, openChunk, startStream } from "./markdown-stream.ts";

function feed(chunks: readonly string[]): AnswerChunk[] {
  let stream = startStream;
  const out: AnswerChunk[] = [];
  for (const chunk of chunks) {
    const step = feedMarkdown(stream, chunk);
    stream = step.stream;
    out.push(...step.chunks);
  }
  return [...out, ...finishMarkdown(stream).chunks];
}

const sourceOf = (chunks: readonly AnswerChunk[]): string =>
  chunks.map((chunk) => (chunk.kind === "code" ? chunk.lines.join("\n") : chunk.text)).join("\n");

describe("a streamed answer", () => {
  it("gives away a block only when nothing can change it any more [20:R10.7]", () => {
    const step = feedMarkdown(startStream, "First para\nstill first\n\nSecond");
    expect(step.chunks).toEqual([{ kind: "markdown", text: "First para\nstill first", hasGap: false }]);
    expect(openChunk(step.stream)).toEqual({ kind: "markdown", text: "Second", hasGap: true });
  });

  it("gives away list items one by one, each with what is indented below it [20:R10.7]", () => {
    const chunks = feed(["- one\n  more\n\n  and more\n- two\n\nAfter\n"]);
    expect(chunks.map((chunk) => chunk.kind === "markdown" && chunk.text)).toEqual([
      "- one\n  more\n\n  and more",
      "- two",
      "After",
    ]);
  });

  it("keeps code apart, in portions when it is long [20:R10.7]", () => {
    const rows = Array.from({ length: 45 }, (_, index) => `line ${index}`);
    const chunks = feed([`Look:\n\`\`\`ts\n${rows.join("\n")}\n\`\`\`\nDone`]);
    expect(chunks.map((chunk) => (chunk.kind === "code" ? [chunk.location, chunk.lines.length] : chunk.text))).toEqual([
      "Look:",
      ["first", 20],
      ["middle", 20],
      ["last", 5],
      "Done",
    ]);
  });

  it("leaves code of a list item in its item, however far it is indented", () => {
    const source = "1. First\n   ```js\n   a();\n\n   b();\n   ```\n2. Second\n\n   ```\n   plain\n   ```\n- last";
    expect(feed([source]).map((chunk) => chunk.kind === "markdown" && chunk.text)).toEqual([
      "1. First\n   ```js\n   a();\n\n   b();\n   ```",
      "2. Second\n\n   ```\n   plain\n   ```",
      "- last",
    ]);
  });

  it("puts one empty row above and below code", () => {
    const chunks = feed(["above\n```\ncode\n```\nbetween\n\n```\nmore\n```\n"]);
    expect(chunks.map((chunk) => chunk.hasGap)).toEqual([false, true, true, true]);
  });

  it("shows an unfinished fence as code at the end [20:R10.7]", () => {
    expect(feed(["```py\nx = 1"])).toEqual([
      { kind: "code", language: "py", lines: ["x = 1"], location: "whole", hasGap: false },
    ]);
  });

  it("is the same wherever the pieces end, and loses no row", () => {
    const row = fc.constantFrom(
      "text",
      "",
      "- item",
      "  more",
      "# Title",
      "```js",
      "```",
      "1. one",
      "---",
      "| a | b |",
    );
    fc.assert(
      fc.property(fc.array(row, { maxLength: 30 }), fc.array(fc.nat({ max: 200 }), { maxLength: 8 }), (rows, cuts) => {
        const source = rows.join("\n");
        const points = [0, ...cuts.filter((cut) => cut < source.length).sort((a, b) => a - b), source.length];
        const pieces = points.slice(1).map((end, index) => source.slice(points[index], end));
        const chunks = feed(pieces);
        expect(chunks).toEqual(feed([source]));
        const words = (text: string): string[] => text.split(/\s+/).filter((word) => word !== "" && !/^```/.test(word));
        expect(words(sourceOf(chunks))).toEqual(words(source));
      }),
    );
  });
});
