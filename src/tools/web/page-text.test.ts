import { describe, expect, it } from "vitest";
import { readPage } from "./page-text.ts";

/** The smallest PDF that shows a line of text. */
function smallPdf(text: string): Uint8Array {
  const stream = `BT /F1 24 Tf 72 700 Td (${text}) Tj ET`;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ];
  let body = "%PDF-1.4\n";
  const offsets = objects.map((object, index) => {
    const at = body.length;
    body += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return at;
  });
  const rows = offsets.map((at) => `${String(at).padStart(10, "0")} 00000 n \n`).join("");
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`;
  return Buffer.from(
    `${body}${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF`,
  );
}

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
