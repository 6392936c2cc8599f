/**
 * A small plugin that shows the three things most plugins do: add a tool, watch through a hook, and
 * answer a slash command. It needs no dependencies and no build.
 */
export function register(ctx) {
  const calls = new Map();

  ctx.registerTool({
    name: "word_count",
    toolset: "word-count",
    description: "Counts the words, lines and characters of a text.",
    schema: {
      type: "object",
      properties: { text: { type: "string", description: "The text to count" } },
      required: ["text"],
    },
    handler: ({ text }) => {
      const words = text.split(/\s+/u).filter((word) => word !== "").length;
      const lines = text === "" ? 0 : text.split("\n").length;
      return { words, lines, characters: [...text].length };
    },
  });

  ctx.registerHook("post_tool_call", ({ tool_name }) => {
    calls.set(tool_name, (calls.get(tool_name) ?? 0) + 1);
  });

  ctx.registerCommand(
    "tally",
    () => {
      const rows = [...calls].sort(([, left], [, right]) => right - left);
      return rows.length === 0 ? "No tool has run yet." : rows.map(([name, count]) => `${name}: ${count}`).join("\n");
    },
    { description: "Shows how often each tool has run" },
  );
}
