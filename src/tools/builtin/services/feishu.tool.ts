import { defined } from "#foundation/defined";
import type { ToolContext } from "../../contract/context.ts";
import { defineTool } from "../../contract/define-tool.ts";
import { result, ToolFailure, type ToolResult } from "../../contract/result.ts";
import type { Tool } from "../../contract/tool.ts";
import { callFeishu, type FeishuAccess } from "../../media/feishu.ts";
import { fenceUntrusted } from "../../web/untrusted.ts";
import type { BuiltinTools } from "../builtin-deps.ts";

export interface FeishuDeps {
  /** Undefined without an app: the tools are unavailable then. */
  access(): FeishuAccess | undefined;
}

const string = (description: string) => ({ type: "string", description }) as const;
const fileToken = string("The token in the document's address");
const fileType = string("docx (usual), doc, sheet or file");
const paging = {
  page_size: { type: "integer", description: "At most 100", minimum: 1, maximum: 100 },
  page_token: string("From the answer before, for the next page"),
} as const;

/** Reading documents and taking part in the comments on them. */
export function createFeishuTools(deps: FeishuDeps): readonly Tool[] {
  const common = {
    emoji: "📄",
    requiresEnv: ["FEISHU_APP_ID", "FEISHU_APP_SECRET"],
    check: () => (deps.access() === undefined ? { reason: "Feishu is not set up" } : (true as const)),
  };
  const reader = { ...common, concurrency: "safe", effects: "none" } as const;
  const writer = { ...common, toolset: "feishu_drive", isIdempotent: false, effects: "elsewhere" } as const;
  return [
    defineTool({
      ...reader,
      toolset: "feishu_doc",
      name: "feishu_doc_read",
      description: "Read a Feishu document as text.",
      parameters: { type: "object", properties: { doc_token: fileToken }, required: ["doc_token"] },
      run: (args, context) => readDocument(deps, args.doc_token, context),
    }),
    defineTool({
      ...reader,
      toolset: "feishu_drive",
      name: "feishu_drive_list_comments",
      description: "List the comments on a Feishu document.",
      parameters: {
        type: "object",
        properties: {
          file_token: fileToken,
          file_type: fileType,
          is_whole: { type: "boolean", description: "Only comments on the whole document" },
          ...paging,
        },
        required: ["file_token"],
      },
      run: (args, context) =>
        list(deps, context, {
          path: commentsOf(args.file_token),
          query: { ...pageOf(args), ...(args.is_whole === true ? { is_whole: "true" } : {}) },
        }),
    }),
    defineTool({
      ...reader,
      toolset: "feishu_drive",
      name: "feishu_drive_list_comment_replies",
      description: "List the replies to one comment on a Feishu document.",
      parameters: {
        type: "object",
        properties: { file_token: fileToken, comment_id: string("The comment"), file_type: fileType, ...paging },
        required: ["file_token", "comment_id"],
      },
      run: (args, context) =>
        list(deps, context, { path: repliesOf(args.file_token, args.comment_id), query: pageOf(args) }),
    }),
    defineTool({
      ...writer,
      name: "feishu_drive_reply_comment",
      description: "Reply to a comment on a Feishu document, in plain text.",
      parameters: {
        type: "object",
        properties: {
          file_token: fileToken,
          comment_id: string("The comment"),
          content: string("Plain text"),
          file_type: fileType,
        },
        required: ["file_token", "comment_id", "content"],
      },
      run: (args, context) =>
        write(deps, context, {
          path: repliesOf(args.file_token, args.comment_id),
          fileType: args.file_type,
          json: { content: textOf(args.content) },
        }),
    }),
    defineTool({
      ...writer,
      name: "feishu_drive_add_comment",
      description: "Add a comment on a whole Feishu document, in plain text.",
      parameters: {
        type: "object",
        properties: { file_token: fileToken, content: string("Plain text"), file_type: fileType },
        required: ["file_token", "content"],
      },
      run: (args, context) =>
        write(deps, context, {
          path: commentsOf(args.file_token),
          fileType: args.file_type,
          json: { reply_list: { replies: [{ content: textOf(args.content) }] } },
        }),
    }),
  ];
}

interface Page {
  readonly file_type?: string | undefined;
  readonly page_size?: number | undefined;
  readonly page_token?: string | undefined;
}

function pageOf({ file_type, page_size = 100, page_token }: Page): Readonly<Record<string, string>> {
  return {
    file_type: file_type ?? "docx",
    page_size: String(Math.min(page_size, 100)),
    ...(page_token === undefined || page_token === "" ? {} : { page_token }),
  };
}

function commentsOf(file: string): string {
  return `/drive/v1/files/${encodeURIComponent(file)}/comments`;
}

function repliesOf(file: string, comment: string): string {
  return `${commentsOf(file)}/${encodeURIComponent(comment)}/replies`;
}

function textOf(text: string) {
  return { elements: [{ type: "text_run", text_run: { text } }] };
}

function accessOf(deps: FeishuDeps): FeishuAccess {
  const access = deps.access();
  if (access === undefined) throw new ToolFailure("Feishu is not set up: hermes gateway setup feishu");
  return access;
}

async function readDocument(deps: FeishuDeps, token: string, context: ToolContext): Promise<ToolResult> {
  const { content } = await callFeishu(
    accessOf(deps),
    `/docx/v1/documents/${encodeURIComponent(token)}/raw_content`,
    context,
  );
  context.noteUntrusted?.("feishu_doc_read");
  return result({ success: true, content: fenceUntrusted(String(content ?? ""), `feishu:${token}`) });
}

async function list(
  deps: FeishuDeps,
  context: ToolContext,
  { path, query }: { readonly path: string; readonly query: Readonly<Record<string, string>> },
): Promise<ToolResult> {
  const answer = await callFeishu(accessOf(deps), `${path}?${new URLSearchParams(query)}`, context);
  context.noteUntrusted?.("feishu_drive");
  const { items = [], has_more = false, page_token } = answer;
  return result({ success: true, items, has_more, ...defined({ page_token }) });
}

async function write(
  deps: FeishuDeps,
  context: ToolContext,
  call: { readonly path: string; readonly fileType: string | undefined; readonly json: object },
): Promise<ToolResult> {
  const path = `${call.path}?${new URLSearchParams({ file_type: call.fileType ?? "docx" })}`;
  const answer = await callFeishu(accessOf(deps), path, { json: call.json, signal: context.signal });
  return result({ success: true, ...answer });
}

export const builtin: BuiltinTools = ({ feishu }) => (feishu === undefined ? [] : createFeishuTools(feishu));
