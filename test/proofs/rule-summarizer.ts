const keptCalls = 60;

/**
 * A summariser without a model. It knows nothing but the prompt it is sent: it copies what users stated as a rule,
 * lists the calls it sees, notes tasks that were reported as finished, and carries an earlier summary on.
 */
export function summarizeByRule(prompt: string): string {
  const previous = between(prompt, "<previous-summary>", "</previous-summary>");
  const blocks = between(prompt, "<conversation>", "</conversation>").split(/\n\n(?=\[(?:USER|ASSISTANT|TOOL RESULT))/);
  const userLines = blocks
    .filter((block) => block.trimStart().startsWith("[USER]:"))
    .flatMap((block) => block.split("\n"));
  const constraints = unique([
    ...listUnder(previous, "Constraints & Preferences"),
    ...rulesIn(userLines),
    ...rulesIn(extracted(previous)),
  ]);
  const calls = blocks.flatMap((block) =>
    [...block.matchAll(/^- (\w+)\((.*)\) \[id /gm)].map(
      (match) => `${match[1]} ${match[2]} — done [tool: ${match[1]}]`,
    ),
  );
  const finished = blocks.flatMap((block) =>
    block.startsWith("[ASSISTANT]:")
      ? [...block.matchAll(/^(Task \w+) is finished.*$/gm)].map((match) => `${match[0]} [tool: none]`)
      : [],
  );
  const known = listUnder(previous, "Completed Actions").map((line) => line.replace(/^\d+\. /, ""));
  const isFinished = (line: string): boolean => / is finished/.test(line);
  const actions = [...known, ...finished, ...calls];
  const kept = [...actions.filter(isFinished), ...actions.filter((line) => !isFinished(line)).slice(-keptCalls)];
  const active = /it reads:\n([\s\S]*?)\n\n(?:An earlier part|<conversation>)/.exec(prompt)?.[1] ?? "None.";
  return [
    ["Active Task", active],
    ["Goal", "None."],
    ["Constraints & Preferences", constraints.map((line) => `- ${line}`).join("\n") || "None."],
    ["Completed Actions", kept.map((line, index) => `${index + 1}. ${line}`).join("\n") || "None."],
    ...["Active State", "In Progress", "Blocked", "Key Decisions", "Resolved Questions", "Pending User Asks"].map(
      (name) => [name, "None."],
    ),
    ...["Relevant Files", "Remaining Work", "Critical Context"].map((name) => [name, "None."]),
  ]
    .map(([heading, text]) => `## ${heading}\n${text}`)
    .join("\n\n");
}

/** The text under a heading of a summary. */
export function sectionOf(summary: string, heading: string): string {
  const from = summary.indexOf(`## ${heading}`);
  if (from < 0) return "";
  const body = summary.slice(summary.indexOf("\n", from) + 1);
  const end = body.search(/\n\n## |\n---\n/);
  return end < 0 ? body : body.slice(0, end);
}

function listUnder(summary: string, heading: string): readonly string[] {
  return sectionOf(summary, heading)
    .split("\n")
    .map((line) => line.replace(/^- /, "").trim())
    .filter((line) => line !== "" && line !== "None.");
}

/** Requests an extract made by rule has listed; their rules count too. */
function extracted(previous: string): readonly string[] {
  return previous
    .split("\n")
    .filter((line) => line.startsWith("- "))
    .map((line) => line.slice(2));
}

function rulesIn(lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => [...line.matchAll(/Rule: [^.]*\./g)].map((match) => match[0]));
}

function between(text: string, open: string, close: string): string {
  const from = text.indexOf(`${open}\n`);
  const to = text.lastIndexOf(close);
  return from < 0 || to < from ? "" : text.slice(from + open.length + 1, to);
}

function unique(lines: readonly string[]): readonly string[] {
  return [...new Set(lines)];
}
