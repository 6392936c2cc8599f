import path from "node:path";
import { defined } from "#foundation/defined";
import { lineCount, shortLine } from "#foundation/text/short-text";
import type { ToolContext } from "../contract/context.ts";
import { defineTool } from "../contract/define-tool.ts";
import { failed, result, type ToolResult } from "../contract/result.ts";
import type { Tool } from "../contract/tool.ts";
import { type FileDeps, openPath, scheduledPaths } from "../files/file-access.ts";
import { lookBefore, staleWarning, writeFileText } from "../files/file-writer.ts";
import type { BuiltinTools } from "./builtin-deps.ts";

/** `write_file`: a whole file, new or replaced. */
export function createWriteFileTool(deps: FileDeps): Tool {
  return defineTool({
    name: "write_file",
    toolset: "file",
    emoji: "✍️",
    description:
      "Create a file, or replace all of its content. Missing folders are made. To change a part of a file use patch. " +
      "A file that changed since you read it is not overwritten.",
    parameters: {
      type: "object",
      properties: {
        path: { type: "string", description: "Absolute, relative to the working directory, or starting with ~" },
        content: { type: "string", description: "The whole new content" },
      },
      required: ["path", "content"],
    },
    concurrency: "path",
    pathsOf: (args, taskId) => scheduledPaths(deps.leases, args.path, taskId),
    effects: "files",
    shorten: ({ path: named, content }) => `wrote to ${shortLine(named, 60)} (${lineCount(content)} lines)`,
    run: (args, context) => write(deps, args, context),
  });
}

async function write(
  deps: FileDeps,
  { path: named, content }: { readonly path: string; readonly content: string },
  context: ToolContext,
): Promise<ToolResult> {
  const open = await openPath(deps, { path: named, use: "write" }, context);
  return deps.ledger.withLocks(
    [open.real],
    async () => {
      const before = await lookBefore(open, context.signal);
      const stale = deps.ledger.stale(context.taskId, open.real, before.file?.stamp);
      const warning = stale === undefined ? undefined : staleWarning(stale, open.shown);
      if (stale?.kind === "changed-on-disk" && deps.options.staleWrite === "block") {
        return failed(`${warning} Nothing was written. Read it again, then write.`, { stale: true, path: open.shown });
      }
      const folder = path.posix.dirname(open.real);
      const folderExisted =
        (await open.files.stat(folder, { followLinks: true, signal: context.signal })) !== undefined;
      await deps.checkpoint?.({ paths: [open.real], reason: "write_file" }, context);
      const written = await writeFileText(deps, { before, text: content, context });
      return result(
        {
          bytes_written: written.bytes,
          dirs_created: !folderExisted,
          sha256: written.sha256,
          ...(before.file === undefined || written.diff === "" ? {} : { diff: written.diff }),
          ...defined({ lint: written.lint, _warning: warning }),
        },
        {
          preview: `${written.bytes} bytes to ${open.shown}`,
          diff: written.diff === "" ? undefined : written.diff,
          details: { kind: "files", changed: [named] },
        },
      );
    },
    context.signal,
  );
}

/** Found by the list that is generated from this folder. */
export const builtin: BuiltinTools = ({ files }) => (files === undefined ? [] : [createWriteFileTool(files)]);
