import type { ToolContext } from "../call/context.ts";
import { failed, result, ToolFailure, type ToolResult } from "../call/result.ts";
import { isBinaryPath, isImagePath, looksBinary } from "../files/binary.ts";
import { currentFile, type FileDeps, notFound, openPath, scheduledPaths } from "../files/file-access.ts";
import { readPage } from "../files/read-page.ts";
import { decodeText } from "../files/text-encoding.ts";
import type { Tool } from "../registry/tool.ts";
import type { BuiltinTools } from "./builtin-deps.ts";

const defaultLimit = 500;
const largeFileBytes = 512_000;
const largeLimit = 200;
const devices =
  /^\/dev\/(?:zero|random|urandom|full|stdin|tty|console|stdout|stderr|fd\/[012])$|^\/proc\/[^/]+\/fd\/[012]$/;

/** `read_file`: one page of a text file, with line numbers. */
export function createReadFileTool(deps: FileDeps): Tool {
  return {
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
          maximum: deps.options.maxLines,
          description: "How many lines (default 500)",
        },
      },
      required: ["path"],
    },
    concurrency: "path",
    isReadOnly: true,
    maxResultChars: Number.POSITIVE_INFINITY,
    pathsOf: (args, taskId) => scheduledPaths(deps.leases, args["path"], taskId),
    execute: (args, context) => read(deps, args, context),
  };
}

async function read(
  deps: FileDeps,
  args: Readonly<Record<string, unknown>>,
  context: ToolContext,
): Promise<ToolResult> {
  const given = args["path"];
  if (typeof given === "string" && devices.test(given)) {
    throw new ToolFailure(`${given} is a device, not a file; reading it would never end`);
  }
  const offset = whole(args["offset"], 1, Number.MAX_SAFE_INTEGER) ?? 1;
  const limit = whole(args["limit"], 1, deps.options.maxLines) ?? Math.min(defaultLimit, deps.options.maxLines);
  const open = await openPath(deps, { given: given, use: "read" }, context);
  if (devices.test(open.real)) throw new ToolFailure(`${open.shown} leads to a device, not to a file`);
  if (isImagePath(open.shown) || isBinaryPath(open.shown)) return binaryAnswer(deps, args, context);
  const file = await currentFile(open, context.signal);
  if (file === undefined) throw await notFound(open, context.signal);

  const look = `read ${open.real} ${offset} ${limit}`;
  const repetition = deps.history.note(context.taskId, look);
  if (repetition === "block") {
    return failed(
      "You have read exactly this page several times in a row. Use what you have, or read something else.",
      {
        already_read: true,
        path: open.shown,
      },
    );
  }
  const version = file.stamp.hash ?? `${file.stamp.size}:${file.stamp.modifiedMs}`;
  if (deps.history.wasShown(context.taskId, look, version) && repetition !== "warn") {
    const notice = "Unchanged since you read this page; it is further up in the conversation.";
    return result({ content: notice, path: open.shown, dedup: true });
  }
  const { text, encoding } = decodeText(file.bytes);
  if (looksBinary(text))
    return failed(`${open.shown} is not a text file`, { is_binary: true, file_size: file.facts.size });
  const page = readPage(text, { offset, limit, maxLineLength: deps.options.maxLineLength });
  const isPartial = page.firstLine > 1 || page.isTruncated;
  deps.ledger.noteRead(context.taskId, open.real, { stamp: file.stamp, isPartial });
  const shown = deps.redact(page.content);
  if (shown.length > deps.options.maxReadChars) {
    return failed(
      `This page has ${shown.length} characters; at most ${deps.options.maxReadChars} are shown. Ask for fewer lines with offset and limit.`,
      { path: open.shown, total_lines: page.totalLines, file_size: file.facts.size },
    );
  }
  return result({
    content: shown,
    total_lines: page.totalLines,
    file_size: file.facts.size,
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
    ...(file.facts.size > largeFileBytes && limit > largeLimit && page.isTruncated
      ? { _hint: "This is a large file. search_files finds the lines you need faster than paging." }
      : {}),
    ...(repetition === "warn" ? { _warning: "This is the third time in a row you read this page." } : {}),
  });
}

async function binaryAnswer(
  deps: FileDeps,
  args: Readonly<Record<string, unknown>>,
  context: ToolContext,
): Promise<ToolResult> {
  const open = await openPath(deps, { given: args["path"], use: "read" }, context);
  const facts = await open.terminal.files.stat(open.real, { followLinks: true, signal: context.signal });
  if (facts === undefined) throw await notFound(open, context.signal);
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

/** A whole number, moved into its range; undefined when it is no number. */
function whole(value: unknown, min: number, max: number): number | undefined {
  if (typeof value !== "number" || !Number.isFinite(value)) return undefined;
  return Math.min(Math.max(Math.trunc(value), min), max);
}

/** Found by the list that is generated from this folder. */
export const builtin: BuiltinTools = ({ files }) => (files === undefined ? [] : [createReadFileTool(files)]);
