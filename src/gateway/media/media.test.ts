import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { says } from "../../../test/fakes/model-server/index.ts";
import type { Attachment } from "../platform/inbound.ts";
import { closeGateways, gateway } from "../testing/gateway-harness.ts";

afterEach(closeGateways);

const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
const attached = (kind: Attachment["kind"], name?: string, more: Partial<Attachment> = {}): Attachment => ({
  kind,
  ref: { file: name ?? kind },
  name,
  ...more,
});

describe("what comes with a message", () => {
  it("is fetched into the cache; text files are read, others are named [40:EVT-11] [40:EVT-15] [40:A-EVT-11]", async () => {
    const { intake, message, server, start, heard, files, folder } = await gateway();
    files.set("notes.txt", Buffer.from("buy milk"));
    files.set("../../etc/passwd", Buffer.from([0, 1, 2]));
    server.script(says("Read."));
    start();
    const attachments = [attached("document", "notes.txt"), attached("document", "../../etc/passwd")];
    await intake.admit(message("see these", { attachments }));
    await heard(1);
    const sent = JSON.stringify(server.requests[0]);
    expect(sent).toContain("buy milk");
    const [saved = ""] = /[^" ]*doc_[0-9a-f]{12}_passwd/u.exec(sent) ?? [];
    expect(path.dirname(saved)).toBe(path.join(folder, "cache"));
    expect([...(await readFile(saved))]).toEqual([0, 1, 2]);
  });

  it("is a note when it is no image, too large or gone; the message is answered all the same [40:EVT-12] [40:EVT-14] [40:SCL-6]", async () => {
    const { intake, message, server, start, heard, files } = await gateway();
    files.set("fake.png", Buffer.from("<html>not found</html>"));
    files.set("big", Buffer.alloc(2_000));
    server.script(says("Seen."));
    start();
    const attachments = [attached("image", "fake.png"), attached("video", "big"), attached("document", "missing")];
    await intake.admit(message("look", { attachments }));
    await heard(1);
    const sent = JSON.stringify(server.requests[0]);
    expect(sent).toContain("no image");
    expect(sent).toContain("larger than");
    expect(sent).toContain("could not be fetched: gone");
  });

  it("is an image for the model when it is one, with the quoted message [40:EVT-16]", async () => {
    const { intake, message, server, start, heard, files } = await gateway();
    files.set("a.png", png);
    server.script(says("A picture."));
    start();
    const replyTo = { messageId: "x", text: "the old words" };
    await intake.admit(message("what is it?", { attachments: [attached("image", "a.png")], replyTo }));
    await heard(1);
    expect(JSON.stringify(server.requests[0])).toContain("the old words");
    expect(JSON.stringify(server.requests[0])).toContain("Image saved as");
  });

  it("is words when it was spoken, or a note where nothing listens [40:EVT-16]", async () => {
    const opened = await gateway({ transcribe: () => Promise.resolve("call me back") });
    opened.files.set("voice", Buffer.from("OggS...."));
    opened.server.script(says("Calling."));
    opened.start();
    await opened.intake.admit(opened.message("", { attachments: [attached("voice")] }));
    await opened.heard(1);
    expect(JSON.stringify(opened.server.requests[0])).toContain("call me back");
    const deaf = await gateway();
    deaf.files.set("voice", Buffer.from("OggS...."));
    deaf.server.script(says("Hm."));
    deaf.start();
    await deaf.intake.admit(deaf.message("", { attachments: [attached("voice")] }));
    await deaf.heard(1);
    expect(JSON.stringify(deaf.server.requests[0])).toContain("not set up");
  });
});

describe("files in an answer", () => {
  it("go out after the text when they may leave; secrets do not [40:EVT-18] [40:EVT-22] [40:A-EVT-13]", async () => {
    const { intake, message, server, start, heard, sent, folder, texts } = await gateway();
    await writeFile(path.join(folder, "plan.pdf"), "%PDF-");
    await writeFile(path.join(folder, ".env"), "KEY=1");
    server.script(says(`Here\nMEDIA:${folder}/plan.pdf\nMEDIA:"${folder}/.env"\nMEDIA:/etc/hostname`));
    start();
    await intake.admit(message("send it"));
    await heard(2);
    expect(texts()[0]).toContain("Here");
    expect(texts()[0]).toContain(".env was not sent");
    expect(texts()[0]).toContain("hostname was not sent");
    expect(sent[1]?.message).toMatchObject({ kind: "media", media: "document", name: "plan.pdf" });
  });
});
