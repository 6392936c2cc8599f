import type { ContentBlock } from "@modelcontextprotocol/client";
import { failed, result, type ToolResult } from "../../contract/result.ts";
import { redactServerText } from "../connection/failure.ts";
import type { AttachmentFiles } from "./attachments.ts";

const maxTextChars = 1_000_000;
const maxAttachmentBytes = 20 * 1024 * 1024;
const maxAttachments = 20;

export interface McpCallResult {
  readonly content?: readonly ContentBlock[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

export interface ResultReading {
  readonly attachments: AttachmentFiles;
  /** Untrusted: the text is marked as data, so that instructions in it are not taken for the user's. */
  readonly fencedAs?: string;
}

/** What a server answered, as the model reads it: text joined, pictures and sounds kept as files. */
export async function readCallResult(answer: McpCallResult, reading: ResultReading): Promise<ToolResult> {
  const texts: string[] = [];
  const attachments: Record<string, unknown>[] = [];
  for (const block of answer.content ?? []) {
    const attachment = await keep(block, reading.attachments, attachments.length);
    if (attachment !== undefined) attachments.push(attachment);
    else texts.push(blockText(block));
  }
  const text = bounded(texts.filter((one) => one !== "").join("\n"));
  if (answer.isError === true)
    return failed(redactServerText(text) || "the tool reported an error without saying which");
  const body = text === "" ? "" : fence(text, reading.fencedAs);
  const structured = answer.structuredContent;
  return result({
    result: body === "" && structured !== undefined ? structured : body,
    ...(body !== "" && structured !== undefined ? { structuredContent: structured } : {}),
    ...(attachments.length === 0 ? {} : { attachments }),
  });
}

function blockText(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "resource":
      if ("text" in block.resource) return block.resource.text;
      return `[resource ${block.resource.uri}: ${approximateBytes(block.resource.blob)} bytes of ${block.resource.mimeType ?? "unknown type"}]`;
    case "resource_link":
      return `[resource ${block.uri}${block.name === "" ? "" : ` (${block.name})`}]`;
    case "image":
    case "audio":
      return `[${block.type} left out: too large, or too many of them]`;
  }
}

async function keep(
  block: ContentBlock,
  files: AttachmentFiles,
  count: number,
): Promise<Record<string, unknown> | undefined> {
  if (block.type !== "image" && block.type !== "audio") return undefined;
  if (count >= maxAttachments || approximateBytes(block.data) > maxAttachmentBytes) return undefined;
  const path = await files.save(Buffer.from(block.data, "base64"), block.mimeType);
  return { type: block.type, mime: block.mimeType, path };
}

/** Says where the words come from. A fence inside the text cannot end it: its marker is taken out first. */
export function fence(text: string, server: string | undefined): string {
  if (server === undefined) return text;
  const inner = text.replace(/<\/?untrusted-data[^>]*>/gi, "");
  return `<untrusted-data source="mcp:${server.replace(/[^\w.-]/g, "_")}">\n${inner}\n</untrusted-data>`;
}

function approximateBytes(base64: string): number {
  return Math.floor((base64.length * 3) / 4);
}

function bounded(text: string): string {
  if (text.length <= maxTextChars) return text;
  return `${text.slice(0, maxTextChars)}\n[cut here: the server sent ${text.length} characters]`;
}
