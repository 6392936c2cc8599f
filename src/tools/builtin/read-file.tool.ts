import type { ToolDetails } from "#conversation";
import { shortLine } from "#foundation/text/short-text";
import type { ToolContext } from "../contract/context.ts";
import { defineTool } from "../contract/define-tool.ts";
import { failed, result, ToolFailure, type ToolResult } from "../contract/result.ts";
import type { Tool } from "../contract/tool.ts";
import { isBinaryPath, isImagePath, looksBinary } from "../files/binary.ts";
import {
  type CurrentFile,
  currentFile,
  type FileDeps,
  notFound,
  type OpenPath,
  openPath,
  scheduledPaths,
} from "../files/file-access.ts";
import { readPage } from "../files/read-page.ts";
import { decodeText } from "../files/text-encoding.ts";
import type { BuiltinTools } from "./builtin-deps.ts";

const defaultLimit = 500;
const largeFileBytes = 512_000;
const largeLimit = 200;
const devices =
  /^\/dev\/(?:zero|random|urandom|full|stdin|tty|console|stdout|stderr|fd\/[012])$|^\/proc\/[^/]+\/fd\/[012]$/;

/** `read_file`: one page of a text file, with line numbers. */
export function createReadFileTool(deps: FileDeps): Tool {
  const { maxLines } = deps.options;
  return defineTool({
    name: "read_file",
    toolset: "file",
    emoji: "📖",
    description:
      "Read a text file, one page at a time, with line numbers (NUMBER|text). Use it rather than cat, head or tail. " +
      "A wrong path is answered with similar names. For large files pass offset and limit. Images belong to vision_analyze.",
    parameters: {
      type: "object",
      properties: {
        path: { type: "string", description: "Absolute, relative to the working directory, or starting with ~" },
        offset: { type: "integer", minimum: 1, description: "First line to show, counted from 1 (default 1)" },
        limit: {
          type: "integer",
          minimum: 1,
          maximum: maxLines,
          description: "How many lines (default 500)",
        },
      },
      required: ["path"],
    },
    concurrency: "path",
    effects: "none",
    countsRepeats: true,
    maxResultChars: Number.POSITIVE_INFINITY,
    pathsOf: ({ path }, taskId) => scheduledPaths(deps.leases, path, taskId),
    shorten: ({ path, offset = 1 }, { text }) =>
      `read ${shortLine(path, 60)} from line ${offset} (${text.length} chars)`,
    run: ({ path, offset = 1, limit = defaultLimit }, context) =>
      read(deps, { path, offset: Math.max(1, offset), limit: Math.min(Math.max(1, limit), maxLines) }, context),
  });
}

interface Page {
  readonly path: string;
  readonly offset: number;
  readonly limit: number;
}

async function read(deps: FileDeps, { path, offset, limit }: Page, context: ToolContext): Promise<ToolResult> {
  if (devices.test(path)) throw new ToolFailure(`${path} is a device, not a file; reading it would never end`);
  const open = await openPath(deps, { path, use: "read" }, context);
  if (devices.test(open.real)) throw new ToolFailure(`${open.shown} leads to a device, not to a file`);
  if (isImagePath(open.shown) || isBinaryPath(open.shown)) return binaryAnswer(open, context.signal);
  const file = await currentFile(open, context.signal);
  if (file === undefined) throw await notFound(open, context.signal);
  const look = `read ${open.real} ${offset} ${limit}`;
  // What a script reads is shown to nobody, and a loop may well read the same page again.
  const repetition = context.isNested === true ? undefined : deps.history.note(context.taskId, look);
  const details: ToolDetails = { kind: "files", read: [path] };
  if (repetition === "block") {
    return failed(
      "You have read exactly this page several times in a row. Use what you have, or read something else.",
      { already_read: true, path: open.shown },
    );
  }
  const version = file.stamp.hash ?? `${file.stamp.size}:${file.stamp.modifiedMs}`;
  const isShown = context.isNested !== true && deps.history.wasShown(context.taskId, look, version);
  if (isShown && repetition !== "warn") {
    const notice = "Unchanged since you read this page; it is further up in the conversation.";
    return result({ content: notice, path: open.shown, dedup: true }, { details });
  }
  const answer = pageAnswer(deps, { open, file, offset, limit }, context.taskId);
  if ("refused" in answer) return answer.refused;
  const warning = repetition === "warn" ? { _warning: "This is the third time in a row you read this page." } : {};
  return result({ ...answer.content, ...warning }, { details });
}

interface OpenPage extends Omit<Page, "path"> {
  readonly open: OpenPath;
  readonly file: CurrentFile;
}

function pageAnswer(
  deps: FileDeps,
  { open, file, offset, limit }: OpenPage,
  taskId: string,
): { readonly content: Readonly<Record<string, unknown>> } | { readonly refused: ToolResult } {
  const { text, encoding } = decodeText(file.bytes);
  const { size } = file.facts;
  if (looksBinary(text))
    return { refused: failed(`${open.shown} is not a text file`, { is_binary: true, file_size: size }) };
  const page = readPage(text, { offset, limit, maxLineLength: deps.options.maxLineLength });
  const isPartial = page.firstLine > 1 || page.isTruncated;
  deps.ledger.noteRead(taskId, open.real, { stamp: file.stamp, isPartial });
  const shown = deps.redact(page.content);
  if (shown.length > deps.options.maxReadChars) {
    const refused = failed(
      `This page has ${shown.length} characters; at most ${deps.options.maxReadChars} are shown. Ask for fewer lines with offset and limit.`,
      { path: open.shown, total_lines: page.totalLines, file_size: size },
    );
    return { refused };
  }
  const content = {
    content: shown,
    total_lines: page.totalLines,
    file_size: size,
    truncated: page.isTruncated,
    is_binary: false,
    is_image: false,
    ...(encoding === "utf-8" ? {} : { encoding }),
    ...(shown === page.content ? {} : { redacted: true }),
    ...(page.isTruncated
      ? {
          hint: `Lines ${page.firstLine}-${page.lastLine} of ${page.totalLines}; go on with offset=${page.lastLine + 1}`,
        }
      : {}),
    ...(size > largeFileBytes && limit > largeLimit && page.isTruncated
      ? { _hint: "This is a large file. search_files finds the lines you need faster than paging." }
      : {}),
  };
  return { content };
}

async function binaryAnswer(open: OpenPath, signal: AbortSignal): Promise<ToolResult> {
  const facts = await open.files.stat(open.real, { followLinks: true, signal });
  if (facts === undefined) throw await notFound(open, signal);
  if (isImagePath(open.shown)) {
    return result({
      is_image: true,
      is_binary: true,
      file_size: facts.size,
      hint: "This is an image; look at it with vision_analyze.",
    });
  }
  return failed(`${open.shown} is a binary file (by its extension); read_file shows text only`, {
    is_binary: true,
    file_size: facts.size,
  });
}

/** Found by the list that is generated from this folder. */
export const builtin: BuiltinTools = ({ files }) => (files === undefined ? [] : [createReadFileTool(files)]);
