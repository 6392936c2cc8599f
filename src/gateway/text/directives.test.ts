import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readReply } from "./directives.ts";

const read = (text: string, files: readonly string[] = []) =>
  readReply(text, { home: "/home/me", isFile: (file) => files.includes(file) });
const file = (path: string, media: string) => ({ kind: "file", path, media });

describe("files that an answer asks to be sent", () => {
  it("are taken out of the text [40:EVT-18] [40:A-EVT-8]", () => {
    expect(read("Here\n[[audio_as_voice]]\nMEDIA:/tmp/a.ogg")).toEqual({
      text: "Here",
      media: [file("/tmp/a.ogg", "voice")],
    });
    expect(read("x MEDIA: /tmp/a b.png, y")).toEqual({ text: "x , y", media: [file("/tmp/a b.png", "image")] });
    expect(read("MEDIA:~/notes.pdf")).toEqual({ text: "", media: [file("/home/me/notes.pdf", "document")] });
    expect(read('See MEDIA:"/tmp/odd name" and MEDIA:`/tmp/x.mp3`').media).toEqual([
      file("/tmp/odd name", "document"),
      file("/tmp/x.mp3", "audio"),
    ]);
  });

  it("are kinds by their ending, each sent once [40:EVT-21]", () => {
    const { media } = read("MEDIA:/a.mp4 MEDIA:/a.gif MEDIA:/a.jpeg MEDIA:/a.wav MEDIA:/a.xyz MEDIA:/a.mp4");
    expect(media.map((one) => one.media)).toEqual(["video", "animation", "image", "audio", "document"]);
  });

  it("may be pictures of the web [40:EVT-19] [40:A-EVT-9]", () => {
    expect(read("hi ![cat](https://e.com/c.png) bye")).toEqual({
      text: "hi  bye",
      media: [{ kind: "url", url: "https://e.com/c.png", media: "image", caption: "cat" }],
    });
    expect(read("![no](https://e.com/page)").text).toBe("![no](https://e.com/page)");
    expect(read('<img src="https://e.com/x.gif?s=1">').media).toEqual([
      { kind: "url", url: "https://e.com/x.gif?s=1", media: "animation", caption: "" },
    ]);
  });

  it("may be named by their path alone when they exist [40:EVT-20]", () => {
    expect(read("Saved as /tmp/plot.png.", ["/tmp/plot.png"])).toEqual({
      text: "Saved as .",
      media: [file("/tmp/plot.png", "image")],
    });
    expect(read("Saved as /tmp/plot.png").media).toEqual([]);
    expect(read("Saved as `/tmp/plot.png`", ["/tmp/plot.png"]).media).toEqual([]);
  });

  it("are not looked for in code [40:EVT-18]", () => {
    const text = "Write:\n```\nMEDIA:/tmp/a.png\n```\nor `MEDIA:/tmp/b.png`";
    expect(read(text)).toEqual({ text, media: [] });
  });

  it("cost as much time as the text is long", () => {
    for (const text of ["MEDIA:".repeat(20_000), "`".repeat(50_000), "![".repeat(50_000), "MEDIA:/a ".repeat(10_000)])
      expect(typeof read(text).text).toBe("string");
  });

  it("leave any other text alone", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        fc.pre(!/MEDIA:|!\[|<img|\[\[|\n{3}|\//iu.test(text));
        expect(read(text)).toEqual({ text: text.trim(), media: [] });
      }),
    );
  });
});
