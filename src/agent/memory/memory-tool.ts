import { UserError } from "#foundation/errors";
import { scrubSurrogates } from "#foundation/text/json";
import {
  type ArgumentsOf,
  defineAbility,
  defineTool,
  result,
  type Tool,
  type ToolContext,
  type ToolResult,
} from "#tools";
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

const parameters = {
  type: "object",
  properties: {
    action: { type: "string", enum: noteActions },
    target: { type: "string", enum: memoryTargets },
    content: { type: "string", description: "The entry (add, replace)" },
    old_text: { type: "string", description: "A piece of the entry meant (replace, remove)" },
  },
  required: ["action", "target"],
} as const;

/** The notes, as one agent may change them. */
export const noteTaking = defineAbility<NoteTaking>("notes", "There are no notes here; nothing was saved.");

export const memoryTool: Tool = defineTool({
  name: "memory",
  toolset: "memory",
  emoji: "🧠",
  description:
    "Notes that outlive this session and stand in the prompt of every later one. Save unasked as soon as the user corrects you, states a " +
    "preference, or you learn a lasting fact about the machine, the project or its conventions; what spares the user from saying it " +
    "again comes first. Skip progress of tasks, logs, one-off details and what is easily found again. target=user: who the user is and " +
    "likes to work. target=memory: environment, conventions, lessons. replace and remove take in old_text a piece that occurs in " +
    "one entry only. Room is short: one dense sentence per entry; when it is full, merge or remove first.",
  parameters,
  effects: "elsewhere",
  serves: "notes",
  isLasting: true,
  isForMainAgent: true,
  isHousekeeping: true,
  guidance: [
    "Your memory outlives this session. Use the memory tool for facts that stay true: what the user prefers, how their machine and projects are set up, quirks of tools, agreed conventions.",
    "All of it is read again in every turn, so keep it small.",
    "The best entry is one that spares the user from correcting you a second time.",
    "Leave out task progress, finished work and logs of a session; session_search finds those.",
    'Write facts ("The user prefers short answers"), not orders to yourself ("Always answer briefly"): an order is also obeyed where it does not fit.',
    "Procedures belong in skills.",
  ].join(" "),
  shorten: ({ action, target }) => `${action} ${target}`,
  run: (args, context) => takeNote(context.agent.need(noteTaking), args, context),
});

export interface NoteTaking {
  readonly notes: Notes;
  readonly writes: MemoryWrites;
  /** What this turn has read from strangers, if anything. */
  isTainted(): string | undefined;
  /** Facts about the agent that writes; the call adds its own. */
  readonly origin: Pick<WriteMetadata, "writeOrigin" | "executionContext" | "parentSessionId">;
}

type MemoryArguments = ArgumentsOf<typeof parameters>;

async function takeNote(deps: NoteTaking, args: MemoryArguments, context: ToolContext): Promise<ToolResult> {
  const { target } = args;
  const change = changeIn(args);
  if (typeof change === "string") return refusal(target, change);
  if (!deps.notes.settings[target].isEnabled) {
    return refusal(target, `The ${target} notes are switched off in the configuration; nothing was saved.`);
  }
  const taintedBy = deps.isTainted();
  try {
    const metadata = metadataOf(deps, context);
    const outcome = await deps.writes.submit({ target, change, metadata, taintedBy }, context.signal);
    return render(outcome, { target, change, limit: deps.notes.settings[target].limit, taintedBy });
  } catch (error) {
    // A lock that is held or a file that cannot be read: the model can say so or try again.
    if (error instanceof UserError) return refusal(target, [error.message, error.hint].filter(Boolean).join(" "));
    throw error;
  }
}

/** Trimmed and scanned: what comes out of here may be written. A text says why not. */
function changeIn({ action, ...args }: MemoryArguments): NoteChange | string {
  const content = cleaned(args.content);
  const oldText = cleaned(args.old_text);
  if (action !== "add" && oldText === "") return `old_text is needed for ${action}: a piece of the entry meant.`;
  if (action === "remove") return { action, oldText };
  if (content === "")
    return action === "add"
      ? "content is needed for add."
      : "content is empty. To delete the entry, use action=remove.";
  return problemOf(content) ?? (action === "add" ? { action, content } : { action, oldText, content });
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
      return success(asked, outcome.entries, { outcome: "saved", message: done[change.action] });
    case "already-there":
      return success(asked, outcome.entries, {
        outcome: "unchanged",
        message: "This entry already exists; nothing was changed.",
      });
    case "too-long":
      return refusal(
        target,
        `The ${target} notes use ${grouped(outcome.used)} of ${grouped(limit)} characters; with this change they would have ` +
          `${grouped(outcome.wanted)}, which is over the limit. Replace or remove entries first.`,
        { outcome: "full", current_entries: outcome.entries, usage: fraction(outcome.used, limit) },
      );
    case "ambiguous":
      return refusal(target, "Several entries contain this old_text. Send a longer piece that only one of them has.", {
        matches: outcome.matches.map(previewOf),
      });
    case "no-match":
      return refusal(
        target,
        `No entry of the ${target} notes contains ${previewOf(JSON.stringify("oldText" in change ? change.oldText : ""))}.`,
      );
    case "parked":
      return result(
        {
          success: true,
          pending: true,
          pending_id: outcome.id,
          target,
          message:
            `Not saved yet: this conversation holds text from outside (${asked.taintedBy ?? "unknown"}), so the change waits until the user ` +
            "confirms it. Do not send it again; tell the user that it is waiting.",
        },
        { details: { kind: "notes", target, outcome: "waiting" } },
      );
    case "full":
      return refusal(
        target,
        `${outcome.count} changes already wait for the user's confirmation; nothing was saved. Ask the user to go through them.`,
      );
  }
}

const done: Readonly<Record<NoteChange["action"], string>> = {
  add: "Entry added.",
  replace: "Entry replaced.",
  remove: "Entry removed.",
};

type NoteOutcome = "saved" | "unchanged" | "full" | "refused";

function success(
  { target, limit }: Asked,
  entries: readonly string[],
  { outcome, message }: { readonly outcome: NoteOutcome; readonly message: string },
): ToolResult {
  const usage = usageLine(sizeOf(entries), limit);
  return result(
    { success: true, target, entries, usage, entry_count: entries.length, message },
    { details: { kind: "notes", target, outcome } },
  );
}

function refusal(
  target: MemoryTarget,
  error: string,
  { outcome = "refused", ...extra }: { readonly outcome?: NoteOutcome; readonly [field: string]: unknown } = {},
): ToolResult {
  return result({ success: false, error, ...extra }, { isError: true, details: { kind: "notes", target, outcome } });
}

function metadataOf(deps: NoteTaking, context: ToolContext): WriteMetadata {
  return {
    ...deps.origin,
    sessionId: context.sessionId,
    platform: context.scope.source,
    toolName: memoryTool.name,
    taskId: context.taskId,
    toolCallId: context.callId,
  };
}

function cleaned(text = ""): string {
  return scrubSurrogates(text).replaceAll("\r\n", "\n").trim();
}
