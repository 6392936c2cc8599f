import { isRecord } from "#foundation/text/json";
import { agentLevelTool } from "../call/agent-level.ts";
import type { ToolContext } from "../call/context.ts";
import { result, ToolFailure, type ToolResult } from "../call/result.ts";
import type { Tool } from "../registry/tool.ts";
import type { BuiltinTools } from "./builtin-deps.ts";

const statuses = ["pending", "in_progress", "completed", "cancelled"] as const;
export type TodoStatus = (typeof statuses)[number];

export interface TodoItem {
  readonly id: string;
  readonly content: string;
  readonly status: TodoStatus;
}

const maxItems = 100;
const maxContent = 2_000;

export const todoTool: Tool = agentLevelTool({
  name: "todo",
  toolset: "todo",
  emoji: "📋",
  // A list is set, not added to: the same call gives the same list.
  isIdempotent: true,
  description:
    "Keep the task list of this session; worth it from three steps on. Without arguments it shows the list. todos replaces it, or with " +
    "merge=true changes items by id and appends new ones. Order is priority. Have one item in_progress, and mark items completed at once.",
  parameters: {
    type: "object",
    properties: {
      todos: {
        type: "array",
        items: {
          type: "object",
          properties: {
            id: { type: "string" },
            content: { type: "string" },
            status: { type: "string", enum: [...statuses] },
          },
          required: ["id", "content", "status"],
        },
      },
      merge: { type: "boolean", description: "Change the list instead of replacing it (default false)" },
    },
  },
});

/** The task list of one agent. */
export class TodoList {
  #items: readonly TodoItem[] = [];

  get items(): readonly TodoItem[] {
    return this.#items;
  }

  /** Takes over a list, for example from the newest `todo` result of a resumed session. */
  load(items: readonly TodoItem[]): void {
    this.#items = items;
  }

  execute = (args: Readonly<Record<string, unknown>>, _context: ToolContext): Promise<ToolResult> => {
    if (args["todos"] !== undefined && args["todos"] !== null) this.#write(args["todos"], args["merge"] === true);
    return Promise.resolve(result(this.summary()));
  };

  summary() {
    const count = (status: TodoStatus): number => this.#items.filter((item) => item.status === status).length;
    return {
      todos: this.#items,
      summary: {
        total: this.#items.length,
        pending: count("pending"),
        in_progress: count("in_progress"),
        completed: count("completed"),
        cancelled: count("cancelled"),
      },
    };
  }

  #write(given: unknown, isMerge: boolean): void {
    if (!Array.isArray(given) || !given.every(isRecord))
      throw new ToolFailure("todos must be a list of objects with id, content and status");
    const next = isMerge ? merged(this.#items, given) : lastOfEach(given.map(toItem));
    if (next.length > maxItems)
      throw new ToolFailure(`A list may have at most ${maxItems} items; this would make ${next.length}`);
    const long = next.find((item) => item.content.length > maxContent);
    if (long !== undefined)
      throw new ToolFailure(`The content of item ${long.id} has more than ${maxContent} characters`);
    this.#items = next;
  }
}

function merged(items: readonly TodoItem[], changes: readonly Record<string, unknown>[]): readonly TodoItem[] {
  const next = [...items];
  for (const change of changes) {
    const id = textOf(change["id"]);
    if (id === "") continue;
    const at = next.findIndex((item) => item.id === id);
    const known = next[at];
    if (known === undefined) next.push(toItem(change));
    else
      next[at] = {
        id,
        content: textOf(change["content"]) || known.content,
        status: statusOf(change["status"]) ?? known.status,
      };
  }
  return next;
}

/** Of items with one id the last counts, where it stands. */
function lastOfEach(items: readonly TodoItem[]): readonly TodoItem[] {
  return items.filter((item, index) => items.findLastIndex((other) => other.id === item.id) === index);
}

function toItem(given: Record<string, unknown>): TodoItem {
  return {
    id: textOf(given["id"]) || "?",
    content: textOf(given["content"]) || "(no description)",
    status: statusOf(given["status"]) ?? "pending",
  };
}

function statusOf(value: unknown): TodoStatus | undefined {
  return statuses.find((status) => status === value);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value.trim() : typeof value === "number" ? String(value) : "";
}

/** Found by the list that is generated from this folder. */
export const builtin: BuiltinTools = () => [todoTool];
