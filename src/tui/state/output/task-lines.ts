import type { TodoItem, TodoStatus, ToolDetails } from "#conversation";
import { plural } from "#foundation/text/figures";
import { isRecord } from "#foundation/text/json";
import type { Line } from "../../text/styled.ts";

const marks: Readonly<Record<TodoStatus, string>> = { pending: "☐", in_progress: "▸", completed: "☑", cancelled: "✗" };
const mostShown = 12;

/** The task list as the model has just written it; of a list that was updated, the tasks the call was about. */
export function taskLines(args: unknown, details: ToolDetails | undefined): readonly Line[] {
  if (details?.kind !== "todos" || !isRecord(args) || !Array.isArray(args["todos"])) return [];
  const named = new Set(args["todos"].map((one) => (isRecord(one) ? one["id"] : undefined)));
  const tasks = args["merge"] === true ? details.todos.filter(({ id }) => named.has(id)) : details.todos;
  const more = tasks.length - mostShown;
  const rows = tasks.slice(0, mostShown).map(taskLine);
  return more > 0 ? [...rows, [{ text: `      … +${plural(more, "more task")}`, style: "dim" }]] : rows;
}

function taskLine({ content, status }: TodoItem): Line {
  const isOver = status === "completed" || status === "cancelled";
  const text = `      ${marks[status]} ${content.replace(/\s+/g, " ")}`;
  return [{ text, style: isOver ? "dim" : status === "in_progress" ? "accent" : undefined }];
}
