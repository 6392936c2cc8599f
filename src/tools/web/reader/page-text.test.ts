import { describe, expect, it } from "vitest";
import { readPage } from "./page-text.ts";
import { smallPdf } from "./testing.ts";

const read = (contentType: string, body: string | Uint8Array) =>
  readPage({ url: "https://a.test/dir/page", contentType, body: typeof body === "string" ? Buffer.from(body) : body });

describe("reading documents", () => {
  it("[30:3.14] a PDF gives its text, also when it is called something else", async () => {
    const pdf = smallPdf("Hello from a document");
    expect(await read("application/pdf", pdf)).toMatchObject({ kind: "text", markdown: "Hello from a document" });
    expect(await read("application/octet-stream", pdf)).toMatchObject({ kind: "text" });
    expect(await read("application/pdf", "%PDF-1.4 broken")).toMatchObject({ kind: "unreadable" });
  });

  it("[30:3.14] a page that is no article is read as a whole", async () => {
    const page = await read(
      "text/html",
      "<title>Short</title><p>One <b>line</b></p><style>p{}</style><a href='../up'>Up</a>",
    );
    expect(page).toEqual({ kind: "text", title: "Short", markdown: "One **line**\n\n[Up](https://a.test/up)" });
  });

  it("plain text, JSON and broken markup are text; pictures are not", async () => {
    expect(await read("application/json", '{"a":1}')).toMatchObject({ markdown: '{"a":1}' });
    expect(await read("text/html", "<div><p>Open <a href='::::'>x")).toMatchObject({ kind: "text" });
    expect(await read("text/html", "")).toMatchObject({ kind: "text", markdown: "" });
    expect(await read("image/png", "x")).toMatchObject({ kind: "unreadable" });
  });
});
