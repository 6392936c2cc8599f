import { defined } from "#foundation/defined";
import { shortLine } from "#foundation/text/short-text";
import type { ToolContext } from "../contract/context.ts";
import { defineTool } from "../contract/define-tool.ts";
import { failed, result, ToolFailure, type ToolResult } from "../contract/result.ts";
import type { Tool } from "../contract/tool.ts";
import type { ArgumentsOf } from "../contract/typed-arguments.ts";
import { closestSections } from "../files/edit/closest.ts";
import { replaceText } from "../files/edit/replace.ts";
import { type FileDeps, notFound, openPath, scheduledPaths } from "../files/file-access.ts";
import { lookBefore, refuseMasks, staleWarning, writeFileText } from "../files/file-writer.ts";
import { applyPatchText } from "../files/patch-run.ts";
import { parsePatch, pathsOf } from "../files/v4a-parse.ts";
import type { BuiltinTools } from "./builtin-deps.ts";

const parameters = {
  type: "object",
  properties: {
    mode: { type: "string", enum: ["replace", "patch"], description: "Default replace" },
    path: { type: "string", description: "File to edit (mode=replace)" },
    old_string: { type: "string", description: "Text to find; include enough lines to make it unique" },
    new_string: { type: "string", description: "Text to put in its place; empty deletes" },
    replace_all: { type: "boolean", description: "Replace every place (default false)" },
    patch: { type: "string", description: "V4A patch text (mode=patch)" },
  },
  required: ["mode"],
} as const;

type PatchArguments = ArgumentsOf<typeof parameters>;

/** `patch`: edits files in place, by snippet or by a multi-file patch. */
export function createPatchTool(deps: FileDeps): Tool {
  return defineTool({
    name: "patch",
    toolset: "file",
    emoji: "🔧",
    description:
      "Change files in place. mode=replace swaps one snippet for another; old_string must be unique unless replace_all is set, " +
      "and small differences in white space, indentation or quotes are tolerated. mode=patch applies a V4A patch to several files, " +
      "all of it or nothing. Answers with a diff and a syntax check.",
    parameters,
    // What is meant is clear without it.
    adapt: (args) => ({ ...args, mode: args["mode"] ?? (typeof args["patch"] === "string" ? "patch" : "replace") }),
    concurrency: "path",
    pathsOf: (args, taskId) => touched(args).flatMap((one) => scheduledPaths(deps.leases, one, taskId)),
    effects: "files",
    shorten: (args, { text }) =>
      `${args.mode} in ${shortLine(args.path ?? touched(args)[0] ?? "?", 60)} (${text.length} chars result)`,
    run: (args, context) =>
      args.mode === "patch" ? applyPatchText(deps, args.patch ?? "", context) : replaceIn(deps, args, context),
  });
}

function touched(args: PatchArguments): readonly (string | undefined)[] {
  if (args.mode === "replace") return [args.path];
  const parsed = parsePatch(args.patch ?? "");
  return parsed.kind === "patch" ? parsed.operations.flatMap(pathsOf) : [];
}

async function replaceIn(deps: FileDeps, args: PatchArguments, context: ToolContext): Promise<ToolResult> {
  const { path, old_string: oldText, new_string: newText = "", replace_all: replaceAll = false } = args;
  if (path === undefined || oldText === undefined)
    throw new ToolFailure("mode=replace needs path, old_string and new_string");
  const open = await openPath(deps, { path, use: "write" }, context);
  return deps.ledger.withLocks(
    [open.real],
    async () => {
      const before = await lookBefore(open, context.signal);
      if (before.text === undefined) throw await notFound(open, context.signal);
      const done = replaceText(before.text.text, { oldText, newText, replaceAll });
      if (done.kind === "refused") return failed(done.reason, { success: false });
      if (done.kind === "ambiguous") {
        return failed(
          `old_string was found ${done.count} times in ${open.shown}. Add lines around it to make it unique, or set replace_all.`,
          { success: false },
        );
      }
      if (done.kind === "not-found") return notFoundAnswer(open.shown, before.text.text, oldText);
      refuseMasks(deps, before, newText);
      const stale = deps.ledger.stale(context.taskId, open.real, before.file?.stamp);
      await deps.checkpoint?.({ paths: [open.real], reason: "patch" }, context);
      const written = await writeFileText(deps, { before, text: done.text, context });
      return result(
        {
          success: true,
          diff: written.diff,
          files_modified: [open.shown],
          match_strategy: done.strategy,
          sha256: written.sha256,
          ...defined({ lint: written.lint }),
          ...(stale === undefined ? {} : { _warning: staleWarning(stale, open.shown) }),
        },
        {
          preview: `${done.count} ${done.count === 1 ? "place" : "places"} in ${open.shown}`,
          diff: written.diff,
          details: { kind: "files", changed: [path] },
        },
      );
    },
    context.signal,
  );
}

function notFoundAnswer(shown: string, content: string, oldText: string): ToolResult {
  const sections = closestSections(content, oldText);
  const extra =
    sections.length > 0
      ? { success: false, closest_sections: sections }
      : {
          success: false,
          _hint: "Nothing similar is in the file. Read it again; it may have changed, or this is another file.",
        };
  return failed(`Could not find old_string in ${shown}.`, extra);
}

/** Found by the list that is generated from this folder. */
export const builtin: BuiltinTools = ({ files }) => (files === undefined ? [] : [createPatchTool(files)]);
