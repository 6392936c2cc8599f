import { UserError } from "#foundation/errors";
import { scrubSurrogates } from "#foundation/text/json";
import { agentLevelTool, result, type Tool, type ToolContext, type ToolResult } from "#tools";
import { scanThreats } from "../threat-scan.ts";
import {
  fraction,
  grouped,
  holdsSeparator,
  type MemoryTarget,
  memoryTargets,
  type NoteChange,
  noteActions,
  previewOf,
  sizeOf,
  usageLine,
} from "./entries.ts";
import type { MemoryWrites, WriteMetadata, WriteOutcome } from "./memory-writes.ts";
import type { Notes } from "./notes.ts";

export const memoryTool: Tool = agentLevelTool({
  name: "memory",
  toolset: "memory",
  emoji: "🧠",
  description:
    "Notes that outlive this session and stand in the prompt of every later one. Save unasked as soon as the user corrects you, states a " +
    "preference, or you learn a lasting fact about the machine, the project or its conventions; what spares the user from saying it " +
    "again comes first. Skip progress of tasks, logs, one-off details and what is easily found again. target=user: who the user is and " +
    "likes to work. target=memory: environment, conventions, lessons. replace and remove take in old_text a piece that occurs in " +
    "one entry only. Room is short: one dense sentence per entry; when it is full, merge or remove first.",
  parameters: {
    type: "object",
    properties: {
      action: { type: "string", enum: [...noteActions] },
      target: { type: "string", enum: [...memoryTargets] },
      content: { type: "string", description: "The entry (add, replace)" },
      old_text: { type: "string", description: "A piece of the entry meant (replace, remove)" },
    },
    required: ["action", "target"],
  },
});

export interface MemoryToolDeps {
  readonly notes: Notes;
  readonly writes: MemoryWrites;
  /** What this turn has read from strangers, if anything. */
  isTainted(): string | undefined;
  /** Facts about the agent that writes; the call adds its own. */
  readonly origin: Pick<WriteMetadata, "writeOrigin" | "executionContext" | "parentSessionId">;
}

/** What answers `memory` calls of one agent. */
export function createMemoryExecute(deps: MemoryToolDeps): Tool["execute"] {
  return async (args, context) => {
    const wish = readWish(args);
    if (wish.kind === "refused") return refusal(wish.error);
    const { target, change } = wish;
    if (!deps.notes.settings[target].isEnabled) {
      return refusal(`The ${target} notes are switched off in the configuration; nothing was saved.`);
    }
    const taintedBy = deps.isTainted();
    try {
      const outcome = await deps.writes.submit(
        { target, change, metadata: metadataOf(deps, context), ...(taintedBy === undefined ? {} : { taintedBy }) },
        context.signal,
      );
      return render(outcome, { target, change, limit: deps.notes.settings[target].limit, taintedBy });
    } catch (error) {
      // A lock that is held or a file that cannot be read: the model can say so or try again.
      if (error instanceof UserError) return refusal([error.message, error.hint].filter(Boolean).join(" "));
      throw error;
    }
  };
}

type Wish =
  | { readonly kind: "wish"; readonly target: MemoryTarget; readonly change: NoteChange }
  | { readonly kind: "refused"; readonly error: string };

/** Trimmed and scanned: what comes out of here may be written. */
function readWish(args: Readonly<Record<string, unknown>>): Wish {
  const action = noteActions.find((one) => one === args["action"]);
  if (action === undefined) return refused(`action must be add, replace or remove, not ${shown(args["action"])}.`);
  const target = memoryTargets.find((one) => one === args["target"]);
  if (target === undefined) return refused(`target must be memory or user, not ${shown(args["target"])}.`);
  const content = textOf(args["content"]);
  const oldText = textOf(args["old_text"]);
  if (action !== "add" && oldText === "")
    return refused(`old_text is needed for ${action}: a piece of the entry meant.`);
  if (action === "remove") return { kind: "wish", target, change: { action, oldText } };
  if (content === "") {
    return refused(
      action === "add" ? "content is needed for add." : "content is empty. To delete the entry, use action=remove.",
    );
  }
  const problem = problemOf(content);
  if (problem !== undefined) return refused(problem);
  return { kind: "wish", target, change: action === "add" ? { action, content } : { action, oldText, content } };
}

function problemOf(content: string): string | undefined {
  const threats = scanThreats(content, "memory");
  if (threats.length > 0) {
    return `Blocked: ${threats.join(", ")}${invisibleIn(content)}. Notes are read back as part of the prompt, so this text is not kept.`;
  }
  if (holdsSeparator(content)) return "An entry may not contain a line that is only §; such a line ends an entry.";
  return undefined;
}

const invisible = /[\u{200B}-\u{200D}\u{2060}\u{FEFF}\u{202A}-\u{202E}]/u;

function invisibleIn(content: string): string {
  const code = invisible.exec(content)?.[0].codePointAt(0);
  return code === undefined ? "" : ` (invisible character U+${code.toString(16).toUpperCase().padStart(4, "0")})`;
}

interface Asked {
  readonly target: MemoryTarget;
  readonly change: NoteChange;
  readonly limit: number;
  readonly taintedBy: string | undefined;
}

function render(outcome: WriteOutcome, asked: Asked): ToolResult {
  const { target, change, limit } = asked;
  switch (outcome.kind) {
    case "write":
      return result(success(asked, outcome.entries, done[change.action]));
    case "already-there":
      return result(success(asked, outcome.entries, "This entry already exists; nothing was changed."));
    case "too-long":
      return refusal(
        `The ${target} notes use ${grouped(outcome.used)} of ${grouped(limit)} characters; with this change they would have ` +
          `${grouped(outcome.wanted)}, which is over the limit. Replace or remove entries first.`,
        { current_entries: outcome.entries, usage: fraction(outcome.used, limit) },
      );
    case "ambiguous":
      return refusal("Several entries contain this old_text. Send a longer piece that only one of them has.", {
        matches: outcome.matches.map(previewOf),
      });
    case "no-match":
      return refusal(`No entry of the ${target} notes contains ${shown("oldText" in change ? change.oldText : "")}.`);
    case "parked":
      return result({
        success: true,
        pending: true,
        pending_id: outcome.id,
        target,
        message:
          `Not saved yet: this turn has read text from outside (${asked.taintedBy ?? "unknown"}), so the change waits until the user ` +
          "confirms it. Do not send it again; tell the user that it is waiting.",
      });
    case "full":
      return refusal(
        `${outcome.count} changes already wait for the user's confirmation; nothing was saved. Ask the user to go through them.`,
      );
  }
}

const done: Readonly<Record<NoteChange["action"], string>> = {
  add: "Entry added.",
  replace: "Entry replaced.",
  remove: "Entry removed.",
};

function success({ target, limit }: Asked, entries: readonly string[], message: string) {
  return {
    success: true,
    target,
    entries,
    usage: usageLine(sizeOf(entries), limit),
    entry_count: entries.length,
    message,
  };
}

function refusal(error: string, extra: Readonly<Record<string, unknown>> = {}): ToolResult {
  return result({ success: false, error, ...extra }, { isError: true });
}

function refused(error: string): Wish {
  return { kind: "refused", error };
}

function metadataOf(deps: MemoryToolDeps, context: ToolContext): WriteMetadata {
  return {
    ...deps.origin,
    sessionId: context.sessionId,
    platform: context.scope.source,
    toolName: memoryTool.name,
    taskId: context.taskId,
    toolCallId: context.callId,
  };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? scrubSurrogates(value).replaceAll("\r\n", "\n").trim() : "";
}

function shown(value: unknown): string {
  return previewOf(JSON.stringify(value) ?? "nothing");
}
