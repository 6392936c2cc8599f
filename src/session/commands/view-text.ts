import type { CommandView } from "../api.ts";

/** What a command shows, as Markdown, for chats and editors. What only a terminal can do is said to be so. */
export function viewText(view: CommandView): string {
  switch (view.kind) {
    case "text":
    case "markdown":
      return view.text;
    case "table":
      return [
        `**${view.title}**`,
        "",
        row(view.columns),
        row(view.columns.map(() => "---")),
        ...view.rows.map(row),
      ].join("\n");
    case "picker":
      return [
        `**${view.title}**`,
        ...view.items.map(({ value, label, detail, isCurrent }) => {
          const about = detail === "" ? "" : ` (${detail})`;
          return `- \`${view.command} ${value}\` ${label}${about}${isCurrent ? " ✓" : ""}`;
        }),
      ].join("\n");
    case "surface":
      return "This command works in the terminal only.";
    case "turn":
    case "nothing":
      return "";
  }
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}
