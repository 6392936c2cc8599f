import { type Message, type TodoItem, type TodoStatus, textOf } from "#conversation";
import { isRecord, parseJson } from "#foundation/text/json";
import { defineAbility } from "../contract/ability.ts";
import { defineTool } from "../contract/define-tool.ts";
import { result, ToolFailure } from "../contract/result.ts";
import type { Tool } from "../contract/tool.ts";
import type { ArgumentsOf } from "../contract/typed-arguments.ts";
import type { BuiltinTools } from "./builtin-deps.ts";

const statuses = ["pending", "in_progress", "completed", "cancelled"] as const satisfies readonly TodoStatus[];
const maxItems = 100;
const maxContent = 2_000;

const item = { id: { type: "string" }, content: { type: "string" } } as const;
const merge = { type: "boolean", description: "Change the list instead of replacing it (default false)" } as const;

/** What is taken: a change names only what is new, and an odd status is no reason to lose a plan. */
const taken = {
  type: "object",
  properties: {
    todos: { type: "array", items: { type: "object", properties: { ...item, status: { type: "string" } } } },
    merge,
  },
} as const;

/** What models are shown. */
const shown = {
  type: "object",
  properties: {
    todos: {
      type: "array",
      items: {
        type: "object",
        properties: { ...item, status: { type: "string", enum: [...statuses] } },
        required: ["id", "content", "status"],
      },
    },
    merge,
  },
};

type TodoArguments = ArgumentsOf<typeof taken>;
type TodoChange = NonNullable<TodoArguments["todos"]>[number];

/** The task list of the agent that makes the call. */
export const taskList = defineAbility<TodoList>("task list", "There is no task list here; keep the plan in mind.");

export const todoTool: Tool = defineTool({
  name: "todo",
  toolset: "todo",
  emoji: "📋",
  // A list is set, not added to: the same call gives the same list.
  isIdempotent: true,
  isHousekeeping: true,
  effects: "elsewhere",
  description:
    "Keep the task list of this session; worth it from three steps on. Without arguments it shows the list. todos replaces it, or with " +
    "merge=true changes items by id and appends new ones. Order is priority. Have one item in_progress, and mark items completed at once.",
  parameters: taken,
  shown,
  shorten: () => "updated the task list",
  run: ({ todos, merge: isMerge = false }, { agent }) => {
    const list = agent.need(taskList);
    if (todos !== undefined) list.write(todos, isMerge);
    return Promise.resolve(result(list.summary(), { details: { kind: "todos", todos: list.items } }));
  },
});

/** The task list of one agent. */
export class TodoList {
  #items: readonly TodoItem[] = [];

  get items(): readonly TodoItem[] {
    return this.#items;
  }

  load(items: readonly TodoItem[]): void {
    this.#items = items;
  }

  /** Takes over the list that the newest `todo` call of a history left; false when there is none. */
  restore(history: readonly Message[]): boolean {
    for (const message of history.toReversed()) {
      if (message.role !== "tool" || message.tool_name !== todoTool.name) continue;
      const parsed = parseJson(textOf(message.content));
      const todos = parsed.ok && isRecord(parsed.value) ? parsed.value["todos"] : undefined;
      if (!Array.isArray(todos)) continue;
      this.#items = todos.filter(isTodo);
      return true;
    }
    return false;
  }

  /** All or nothing: a list that would be too long leaves the old one. */
  write(changes: readonly TodoChange[], isMerge: boolean): void {
    const next = isMerge ? merged(this.#items, changes) : lastOfEach(changes.map(toItem));
    if (next.length > maxItems)
      throw new ToolFailure(`A list may have at most ${maxItems} items; this would make ${next.length}`);
    const long = next.find(({ content }) => content.length > maxContent);
    if (long !== undefined)
      throw new ToolFailure(`The content of item ${long.id} has more than ${maxContent} characters`);
    this.#items = next;
  }

  summary() {
    const count = (status: TodoStatus): number => this.#items.filter((one) => one.status === status).length;
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
}

function merged(items: readonly TodoItem[], changes: readonly TodoChange[]): readonly TodoItem[] {
  const next = [...items];
  for (const change of changes) {
    const id = change.id?.trim() ?? "";
    if (id === "") continue;
    const at = next.findIndex((one) => one.id === id);
    const known = next[at];
    if (known === undefined) next.push(toItem(change));
    else
      next[at] = {
        id,
        content: change.content?.trim() || known.content,
        status: statusOf(change.status) ?? known.status,
      };
  }
  return next;
}

/** Of items with one id the last counts, where it stands. */
function lastOfEach(items: readonly TodoItem[]): readonly TodoItem[] {
  return items.filter(({ id }, index) => items.findLastIndex((other) => other.id === id) === index);
}

function toItem({ id, content, status }: TodoChange): TodoItem {
  return {
    id: id?.trim() || "?",
    content: content?.trim() || "(no description)",
    status: statusOf(status) ?? "pending",
  };
}

function statusOf(value: unknown): TodoStatus | undefined {
  return statuses.find((status) => status === value);
}

function isTodo(value: unknown): value is TodoItem {
  return (
    isRecord(value) &&
    typeof value["id"] === "string" &&
    typeof value["content"] === "string" &&
    statusOf(value["status"]) !== undefined
  );
}

/** Found by the list that is generated from this folder. */
export const builtin: BuiltinTools = () => [todoTool];
