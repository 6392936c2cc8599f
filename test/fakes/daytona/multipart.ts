/** One part of a form as it travels. */
export interface Part {
  readonly name: string;
  readonly body: Buffer;
}

export function readForm(contentType: string, body: Buffer): readonly Part[] {
  const boundary = /boundary="?([^";]+)/.exec(contentType)?.[1] ?? "";
  const mark = Buffer.from(`--${boundary}`);
  const parts: Part[] = [];
  let at = body.indexOf(mark);
  while (at >= 0) {
    const next = body.indexOf(mark, at + mark.length);
    if (next < 0) break;
    const part = body.subarray(at + mark.length + 2, next - 2);
    const head = part.indexOf("\r\n\r\n");
    const name = /name="([^"]*)"/.exec(part.subarray(0, head).toString())?.[1] ?? "";
    parts.push({ name, body: part.subarray(head + 4) });
    at = next;
  }
  return parts;
}

/** The form a download is answered with. */
export function fileForm(boundary: string, file: { readonly path: string; readonly bytes: Buffer }): readonly Buffer[] {
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${file.path}"\r\nContent-Type: application/octet-stream\r\nContent-Length: ${file.bytes.length}\r\n\r\n`;
  return [Buffer.from(head), file.bytes, Buffer.from(`\r\n--${boundary}--\r\n`)];
}
