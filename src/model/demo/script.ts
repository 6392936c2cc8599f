import { type Intent, intentOf, type Task } from "./intent.ts";

/** What has happened in this turn so far, as the demo model sees it. */
export interface Scene {
  /** The user's latest words. */
  readonly request: string;
  /** Results of the calls it made for them, oldest first. */
  readonly results: readonly string[];
  /** Names of the tools it may use. */
  readonly tools: ReadonlySet<string>;
  readonly isFirstReply: boolean;
}

export type Move =
  | { readonly kind: "say"; readonly text: string }
  | {
      readonly kind: "call";
      readonly text: string;
      readonly tool: string;
      readonly args: Readonly<Record<string, unknown>>;
    };

export const introduction =
  "I am the built-in demo model: a few rules, offline, no intelligence. Connect a real model with `hermes setup`, or `/connect` in the terminal.";

const abilities = [
  "list files in <folder>",
  "read <file>",
  "search for <words> in <folder>",
  'replace "old" with "new" in <file>',
  "write a file <name> with <text>",
  "run `<command>`",
  "remember that <fact>",
  "recall <topic>",
  "plan: <first>, <second>, <third>",
  "delegate: <task>",
  "write a small program that prints the first primes",
];

const program = [
  "function primes(count) {",
  "  const found = [];",
  "  for (let candidate = 2; found.length < count; candidate += 1)",
  "    if (found.every((prime) => candidate % prime !== 0)) found.push(candidate);",
  "  return found;",
  "}",
  "",
  'console.log(primes(10).join(" "));',
  "",
].join("\n");

/** The demo model's next move: a tool call while its recipe has steps left, then what it found. */
export function nextMove(scene: Scene): Move {
  const move = moveFor(intentOf(scene.request), scene);
  if (!scene.isFirstReply || scene.results.length > 0) return move;
  const text = move.text === "" ? introduction : `${introduction}\n\n${move.text}`;
  return { ...move, text };
}

interface Recipe {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly lead: string;
}

function moveFor(intent: Intent, scene: Scene): Move {
  if (intent.kind === "greeting") return say(`Hello. I understand requests like these:\n${bullets(abilities)}`);
  if (intent.kind === "unknown") return say(`My rules do not cover that. I understand:\n${bullets(abilities)}`);
  const recipe = recipeFor(intent);
  const step = recipe[scene.results.length];
  const last = scene.results.at(-1);
  if (last !== undefined && looksFailed(last)) return say(failureText(last));
  if (step === undefined) return say(closingWords(intent, last ?? ""));
  if (!scene.tools.has(step.tool)) {
    return say(`For that I would call the tool \`${step.tool}\`, which is not available in this session.`);
  }
  return { kind: "call", text: step.lead, tool: step.tool, args: step.args };
}

function recipeFor(intent: Task): readonly Recipe[] {
  switch (intent.kind) {
    case "list":
      return [one("search_files", { pattern: "*", target: "files", path: intent.path, limit: 2_000 }, "Let me look.")];
    case "read":
      return [one("read_file", { path: intent.path }, "")];
    case "search":
      return [one("search_files", { pattern: escapePattern(intent.pattern), path: intent.path }, "Searching.")];
    case "replace":
      return [
        one("read_file", { path: intent.path }, `I read ${intent.path} first.`),
        one(
          "patch",
          { mode: "replace", path: intent.path, old_string: intent.from, new_string: intent.to, replace_all: true },
          "",
        ),
      ];
    case "write":
      return [one("write_file", { path: intent.path, content: `${intent.content}\n` }, "")];
    case "run":
      return [one("terminal", { command: intent.command }, `Running \`${intent.command}\`.`)];
    case "remember":
      return [one("memory", { action: "add", target: "user", content: intent.fact }, "")];
    case "recall":
      return [one("session_search", intent.query === "" ? {} : { query: intent.query }, "Searching earlier sessions.")];
    case "plan":
      return [one("todo", { todos: intent.items.map(todoItem), merge: false }, "Here is a plan.")];
    case "delegate":
      return [one("delegate_task", { goal: intent.goal }, "A helper will do that.")];
    case "program":
      return [
        one("write_file", { path: "primes.mjs", content: program }, "I write a small program."),
        one("terminal", { command: "node primes.mjs" }, "Now I run it."),
      ];
  }
}

function closingWords(intent: Task, result: string): string {
  const facts = parsed(result);
  switch (intent.kind) {
    case "list":
      return `${intent.path === "." ? "Files in this folder" : `Files in \`${intent.path}\``}:\n${bullets(topNames(strings(facts.files), intent.path)) || "(none)"}`;
    case "read":
      return `\`${intent.path}\`:\n\n${block(text(facts.content) || result)}`;
    case "search":
      return `Found ${text(facts.total_count) || "0"} matches for \`${intent.pattern}\`.\n\n${block(matches(facts.matches))}`;
    case "replace":
      return `Done: \`${intent.path}\` is changed.`;
    case "write":
      return `Wrote \`${intent.path}\`.`;
    case "run":
      return ranText(text(facts.exit_code), text(facts.output), result);
    case "remember":
      return `I will remember: ${intent.fact}`;
    case "recall":
      return `From earlier sessions:\n\n${block(JSON.stringify(facts.results ?? result, null, 2))}`;
    case "plan":
      return `${intent.items.map((item, index) => `${index + 1}. ${item}`).join("\n")}`;
    case "delegate":
      return `The helper reports:\n\n${block(summaries(facts.results) || result)}`;
    case "program":
      return `The program is in \`primes.mjs\`. It printed:\n\n${block(text(facts.output))}`;
  }
}

const say = (text: string): Move => ({ kind: "say", text });
const one = (tool: string, args: Readonly<Record<string, unknown>>, lead: string): Recipe => ({ tool, args, lead });
const bullets = (lines: readonly string[]) => lines.map((line) => `- ${line}`).join("\n");
const block = (body: string) => `\`\`\`\n${body.trimEnd()}\n\`\`\``;
const escapePattern = (words: string) => words.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
const todoItem = (content: string, index: number) => ({
  id: String(index + 1),
  content,
  status: index === 0 ? "in_progress" : "pending",
});

function parsed(result: string): Readonly<Record<string, unknown>> {
  try {
    // Notes for the model may follow the result, behind a blank line.
    const end = result.indexOf("}\n\n");
    const value: unknown = JSON.parse(end < 0 ? result : result.slice(0, end + 1));
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function looksFailed(result: string): boolean {
  const facts = parsed(result);
  return (typeof facts.error === "string" && facts.error !== "") || facts.success === false;
}

/** What went wrong, in the words of the tool, and what may have been meant. */
function failureText(result: string): string {
  const facts = parsed(result);
  const [meant] = strings(facts.similar_files);
  const words = text(facts.error) || result;
  return `That did not work: ${words}${meant === undefined ? "" : `\n\nDid you mean \`${meant}\`?`}`;
}

const mostNames = 40;

/** The names in a folder, in order; of what lies deeper only the folder. */
function topNames(files: readonly string[], folder: string): readonly string[] {
  const inside = folder.replace(/^\.\/|\/$/g, "");
  const names = files.map((file) => {
    const below = file.replace(/^\.\//, "");
    const own = below.startsWith(`${inside}/`) ? below.slice(inside.length + 1) : below;
    return own.includes("/") ? `${own.slice(0, own.indexOf("/") + 1)}` : own;
  });
  const all = [...new Set(names)].sort();
  return all.length <= mostNames ? all : [...all.slice(0, mostNames), `… and ${all.length - mostNames} more`];
}

function text(value: unknown): string {
  return value === undefined || value === null ? "" : String(value);
}

function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function matches(value: unknown): string {
  if (!Array.isArray(value)) return "";
  return value
    .slice(0, 20)
    .map(
      (match: { path?: unknown; line?: unknown; content?: unknown }) => `${match.path}:${match.line}: ${match.content}`,
    )
    .join("\n");
}

function summaries(value: unknown): string {
  return Array.isArray(value) ? value.map((item: { summary?: unknown }) => text(item.summary)).join("\n") : "";
}

/** A call that a crash cut off has no exit code, only words about it. */
function ranText(exitCode: string, output: string, result: string): string {
  if (exitCode === "") return result;
  const ended = `It ended with exit code ${exitCode}.`;
  return output.trim() === "" ? ended : `${ended}\n\n${block(output)}`;
}
