import { describe, expect, it } from "vitest";
import { noAbilities, runTool, toolContext } from "../testing.ts";
import { type AskUser, askingUser, clarifyTool } from "./clarify.tool.ts";
import { TodoList, taskList, todoTool } from "./todo.tool.ts";

describe("the task list", () => {
  const call = (list: TodoList, args: object) =>
    runTool(todoTool, args as Record<string, unknown>, toolContext({ agent: noAbilities.with(taskList, list) }));
  const write = async (list: TodoList, args: object) => (await call(list, args)).content;

  it("is replaced, read and summed up [30:3.8] [10:TOOL-13]", async () => {
    const list = new TodoList();
    await write(list, {
      todos: [
        { id: "1", content: "a", status: "in_progress" },
        { id: "2", content: "b", status: "pending" },
      ],
    });
    expect(await write(list, {})).toEqual({
      todos: [
        { id: "1", content: "a", status: "in_progress" },
        { id: "2", content: "b", status: "pending" },
      ],
      summary: { total: 2, pending: 1, in_progress: 1, completed: 0, cancelled: 0 },
    });
  });

  it("belongs to an agent: whoever else runs the tool gets an error, and nothing is written [10:TOOL-5]", async () => {
    const running = runTool(todoTool, { todos: [{ id: "1", content: "a", status: "pending" }] }, toolContext({}));
    await expect(running).rejects.toMatchObject({ name: "ToolFailure", message: taskList.missing });
  });

  it("merges by id: only what is given changes, new items are appended, items without id are skipped", async () => {
    const list = new TodoList();
    await write(list, {
      todos: [
        { id: "1", content: "a", status: "pending" },
        { id: "2", content: "b", status: "pending" },
      ],
    });
    await write(list, {
      merge: true,
      todos: [{ id: "2", status: "completed" }, { id: "3", content: "c" }, { content: "lost" }],
    });
    expect(list.items).toEqual([
      { id: "1", content: "a", status: "pending" },
      { id: "2", content: "b", status: "completed" },
      { id: "3", content: "c", status: "pending" },
    ]);
  });

  it("normalises what is missing or odd; the last of equal ids counts", async () => {
    const list = new TodoList();
    await write(list, {
      todos: [
        { id: 1, content: "x", status: "pending" },
        { status: "odd" },
        { id: "1", content: "y", status: "completed" },
      ],
    });
    expect(list.items).toEqual([
      { id: "?", content: "(no description)", status: "pending" },
      { id: "1", content: "y", status: "completed" },
    ]);
  });

  it("refuses lists that are none or too long, and stays as it was", async () => {
    const list = new TodoList();
    await write(list, { todos: [{ id: "1", content: "a", status: "pending" }] });
    const many = Array.from({ length: 101 }, (_, index) => ({ id: `${index}`, content: "x", status: "pending" }));
    await expect(call(list, { todos: many })).rejects.toThrow("at most 100");
    await expect(call(list, { todos: "no" })).rejects.toThrow('todos must be a list, not "no"');
    expect(list.items).toHaveLength(1);
  });
});

describe("clarify", () => {
  const clarify = (args: Readonly<Record<string, unknown>>, ask?: AskUser, timeoutMs = 1_000) => {
    const agent = noAbilities.with(askingUser, ask === undefined ? undefined : { ask, timeoutMs });
    return runTool(clarifyTool, args, toolContext({ agent }));
  };

  it("offers at most four choices and gives the answer [30:3.12]", async () => {
    let offered: readonly string[] = [];
    const ask = (_question: string, choices: readonly string[]) => {
      offered = choices;
      return Promise.resolve("blue");
    };
    const done = await clarify({ question: "Which?", choices: ["a", " ", "b", "c", "d", "e"] }, ask);
    expect(offered).toEqual(["a", "b", "c", "d"]);
    expect(done.content).toEqual({ question: "Which?", choices_offered: ["a", "b", "c", "d"], user_response: "blue" });
  });

  it("says so when nobody can be asked or nobody answers", async () => {
    await expect(clarify({ question: "x" })).rejects.toThrow("not available");
    const never = () => new Promise<string>(() => undefined);
    expect((await clarify({ question: "x" }, never, 5)).content).toMatchObject({
      user_response: null,
      timed_out: true,
    });
  });
});
