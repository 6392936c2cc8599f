/** One row of a table; cells may hold anything, also bars and line breaks. */
export type Row = readonly string[];

/** A table in Markdown. */
export function table(head: Row, rows: readonly Row[]): string {
  const line = (cells: Row): string => `| ${cells.map(cell).join(" | ")} |`;
  return [line(head), `|${head.map(() => "---").join("|")}|`, ...rows.map(line)].join("\n");
}

/** Words that are typed as they stand. A value with a backtick in it needs two around it. */
export function code(text: string): string {
  return text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``;
}

/** A block that is shown as it stands; fences inside it are made harmless. */
export function fence(text: string, language = ""): string {
  return [`\`\`\`${language}`, text.replaceAll("```", "'''").trim(), "```"].join("\n");
}

/** A page that nobody edits. */
export function page(title: string, parts: readonly string[]): string {
  const note = "<!-- Written by scripts/generate-reference.ts. Do not edit: run `npm run generate:reference`. -->";
  return `${[`# ${title}`, note, ...parts.filter((part) => part !== "")].join("\n\n")}\n`;
}

function cell(text: string): string {
  return text.replace(/\s+/g, " ").replaceAll("|", "\\|").trim();
}
