import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Secret } from "#foundation/secrets/secret";
import { type FeishuServer, startFeishuServer } from "../../../../test/fakes/platforms/feishu-server.ts";
import { runTool } from "../../testing.ts";
import { createFeishuTools } from "./feishu.tool.ts";

let server: FeishuServer;
beforeEach(async () => {
  server = await startFeishuServer();
  server.comments.push({ id: "c0", isWhole: false, replies: ["why?"] }, { id: "c1", isWhole: true, replies: ["and?"] });
});
afterEach(() => server[Symbol.asyncDispose]());

async function call(name: string, args: Record<string, unknown>): Promise<unknown> {
  const access = { url: server.url, appId: server.appId, secret: new Secret(server.secret) };
  const tool = createFeishuTools({ access: () => access }).find((one) => one.name === name);
  return tool === undefined ? undefined : (await runTool(tool, args)).content;
}

describe("documents of Feishu [30:3.25]", () => {
  it("are read as text that strangers wrote", async () => {
    const read = await call("feishu_doc_read", { doc_token: "docx1" });
    expect(read).toMatchObject({ success: true, content: expect.stringMatching(/^<untrusted-page[\s\S]*Buy milk\./u) });
    await expect(call("feishu_doc_read", { doc_token: "other" })).rejects.toThrow("Feishu did not do it");
  });

  it("have comments and replies that are listed", async () => {
    const file = { file_token: "docx1" };
    expect(await call("feishu_drive_list_comments", file)).toMatchObject({ success: true, items: [{}, {}] });
    expect(await call("feishu_drive_list_comments", { ...file, is_whole: true })).toMatchObject({
      items: [{ comment_id: "c1" }],
    });
    expect(await call("feishu_drive_list_comment_replies", { ...file, comment_id: "c0" })).toMatchObject({
      items: [{ reply_id: "c0r0" }],
    });
  });

  it("are commented on, and comments replied to", async () => {
    const file = { file_token: "docx1", content: "Because." };
    expect(await call("feishu_drive_reply_comment", { ...file, comment_id: "c0" })).toMatchObject({ success: true });
    expect(await call("feishu_drive_add_comment", file)).toMatchObject({ success: true, comment_id: "c2" });
    expect(server.comments).toMatchObject([{ replies: ["why?", "Because."] }, {}, { replies: ["Because."] }]);
  });

  it("are out of reach where Feishu is not set up", async () => {
    const [tool] = createFeishuTools({ access: () => undefined });
    expect(await tool?.check?.(new AbortController().signal)).toEqual({ reason: "Feishu is not set up" });
  });
});
