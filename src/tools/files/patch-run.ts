import { describe } from "#foundation/errors";
import { plural } from "#foundation/text/figures";
import type { ToolContext } from "../contract/context.ts";
import { failed, result, ToolFailure, type ToolResult } from "../contract/result.ts";
import { type FileDeps, type LintResult, type OpenPath, openPath } from "./file-access.ts";
import { type FileBefore, lookBefore, refuseMasks, staleWarning, writeFileText } from "./file-writer.ts";
import { type PatchPlan, planPatch } from "./v4a-apply.ts";
import { type PatchOperation, parsePatch, pathsOf } from "./v4a-parse.ts";

/** Applies a V4A patch: everything is checked and planned first, and what was written is put back if a later write fails. */
export async function applyPatchText(deps: FileDeps, text: string, context: ToolContext): Promise<ToolResult> {
  if (text.trim() === "") throw new ToolFailure("mode=patch needs the patch text in patch");
  const parsed = parsePatch(text);
  if (parsed.kind === "invalid") return failed(parsed.message, { success: false });
  const opened = new Map<string, OpenPath>();
  for (const path of parsed.operations.flatMap(pathsOf)) {
    if (!opened.has(path)) opened.set(path, await openPath(deps, { path, use: "write" }, context));
  }
  const locks = [...opened.values()].map((open) => open.real);
  return deps.ledger.withLocks(
    locks,
    () => run(deps, { operations: parsed.operations, opened }, context),
    context.signal,
  );
}

interface Opened {
  readonly operations: readonly PatchOperation[];
  readonly opened: ReadonlyMap<string, OpenPath>;
}

async function run(deps: FileDeps, { operations, opened }: Opened, context: ToolContext): Promise<ToolResult> {
  const before = new Map<string, FileBefore>();
  const planned = await planPatch(operations, async (path) => {
    const open = opened.get(path);
    if (open === undefined) return undefined;
    const seen = before.get(path) ?? (await lookBefore(open, context.signal));
    before.set(path, seen);
    return seen.text?.text;
  });
  if (planned.kind === "problems") {
    return failed(`Patch rejected during validation; nothing was changed: ${planned.problems.join("; ")}`, {
      success: false,
    });
  }
  const warnings = warningsOf(deps, before, context.taskId);
  for (const [path, content] of planned.plan.files) {
    const seen = before.get(path);
    if (seen !== undefined && content !== undefined) refuseMasks(deps, seen, content);
  }
  const paths = [...opened.values()].map((open) => open.real);
  await deps.checkpoint?.({ paths, reason: "patch" }, context);
  const written = await writeAll(deps, { plan: planned.plan, before }, context);
  const { plan } = planned;
  const changed = [...plan.modified, ...plan.created, ...plan.deleted];
  return result(
    {
      success: true,
      diff: written.diff,
      files_modified: plan.modified,
      ...(plan.created.length === 0 ? {} : { files_created: plan.created }),
      ...(plan.deleted.length === 0 ? {} : { files_deleted: plan.deleted }),
      ...(Object.keys(written.lint).length === 0 ? {} : { lint: written.lint }),
      sha256: written.hashes,
      ...(warnings.length === 0 ? {} : { _warning: warnings.join(" ") }),
    },
    { diff: written.diff, preview: plural(changed.length, "file"), details: { kind: "files", changed } },
  );
}

interface WriteJob {
  readonly plan: PatchPlan;
  readonly before: ReadonlyMap<string, FileBefore>;
}

async function writeAll(deps: FileDeps, { plan, before }: WriteJob, context: ToolContext) {
  const done: FileBefore[] = [];
  const diffs: string[] = [];
  const lint: Record<string, LintResult> = {};
  const hashes: Record<string, string> = {};
  try {
    for (const [path, content] of plan.files) {
      const seen = before.get(path);
      if (seen === undefined || content === seen.text?.text) continue;
      done.push(seen);
      if (content === undefined) {
        await seen.open.files.remove(seen.open.real, context.signal);
        continue;
      }
      const written = await writeFileText(deps, { before: seen, text: content, context });
      diffs.push(written.diff);
      hashes[path] = written.sha256;
      if (written.lint !== undefined) lint[path] = written.lint;
    }
  } catch (error) {
    const left = await restore(done);
    const state = left.length === 0 ? "All files are as they were." : `Could not be put back: ${left.join(", ")}.`;
    throw new ToolFailure(
      `The patch failed while it was being written (${describe(error)}). ${state}`,
      { success: false },
      { cause: error },
    );
  }
  return { diff: diffs.join("\n"), lint, hashes };
}

/** Puts back what was there before; the paths where that failed. Not stopped by an interrupt: half a patch is worse. */
async function restore(done: readonly FileBefore[]): Promise<readonly string[]> {
  const { signal } = new AbortController();
  const left: string[] = [];
  for (const { open, file } of [...done].reverse()) {
    try {
      if (file === undefined) await open.files.remove(open.real, signal);
      else await open.files.write(open.real, file.bytes, signal);
    } catch {
      left.push(open.shown);
    }
  }
  return left;
}

function warningsOf(deps: FileDeps, before: ReadonlyMap<string, FileBefore>, agent: string): readonly string[] {
  return [...before.values()].flatMap(({ open, file }) => {
    const stale = deps.ledger.stale(agent, open.real, file?.stamp);
    return stale === undefined ? [] : [staleWarning(stale, open.shown)];
  });
}
