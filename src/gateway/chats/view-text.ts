import type { CommandView } from "#session";

/** What a command shows, as the text of a chat. What only a terminal can do is said to be so. */
export function viewText(view: Exclude<CommandView, { readonly kind: "turn" }>): string {
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
    case "nothing":
      return "";
  }
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}
