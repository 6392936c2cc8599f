import { isRecord, mapStrings, parseJson, toJsonText } from "#foundation/text/json";
import type { ExportedSession } from "#store";

export type ExportFormat = "json" | "markdown" | "html";

export interface ExportOptions {
  /** Applied to every text; absent writes what is stored. */
  redact?(text: string): string;
}

/** A session for other programs and for people. JSON is one line, so that several make a JSONL file. */
export function exportSession(session: ExportedSession, format: ExportFormat, options: ExportOptions = {}): string {
  const { redact } = options;
  const clean = redact === undefined ? session : (mapStrings(session, (text) => redact(text)) as ExportedSession);
  switch (format) {
    case "json":
      return `${toJsonText(clean)}\n`;
    case "markdown":
      return markdown(clean);
    case "html":
      return html(clean);
  }
}

interface Entry {
  readonly role: string;
  readonly text: string;
  readonly toolName: string;
  readonly calls: readonly { readonly name: string; readonly args: string }[];
  readonly reasoning: string;
}

function entriesOf(session: ExportedSession): readonly Entry[] {
  return session.messages.map((row) => ({
    role: stringOrEmpty(row["role"]),
    text: stringOrEmpty(row["content"]),
    toolName: stringOrEmpty(row["tool_name"]),
    calls: callsOf(row["tool_calls"]),
    reasoning: stringOrEmpty(row["reasoning"]),
  }));
}

function factsOf(session: ExportedSession): readonly (readonly [string, string])[] {
  const started = Number(session["started_at"]);
  return [
    ["Session", session.id],
    ["Source", session.source],
    ["Model", stringOrEmpty(session["model"])],
    ["Started", Number.isFinite(started) && started > 0 ? new Date(started * 1000).toISOString() : ""],
    ["Messages", String(session.messages.length)],
  ].filter((fact): fact is [string, string] => fact[1] !== "");
}

function markdown(session: ExportedSession): string {
  const lines = [`# ${stringOrEmpty(session["title"]) || session.id}`, ""];
  for (const [name, value] of factsOf(session)) lines.push(`- ${name}: ${value}`);
  for (const entry of entriesOf(session)) {
    lines.push("", `## ${speaker(entry)}`, "");
    if (entry.role === "tool") lines.push(fenced(entry.text, ""));
    else if (entry.text !== "") lines.push(entry.text);
    for (const call of entry.calls) lines.push("", `Tool call \`${call.name}\``, "", fenced(call.args, "json"));
  }
  return `${lines.join("\n")}\n`;
}

function html(session: ExportedSession): string {
  const title = escaped(stringOrEmpty(session["title"]) || session.id);
  const facts = factsOf(session).map(([name, value]) => `<dt>${escaped(name)}</dt><dd>${escaped(value)}</dd>`);
  const messages = entriesOf(session).map((entry) => {
    const calls = entry.calls.map(
      (call) => `<details><summary>Tool call ${escaped(call.name)}</summary><pre>${escaped(call.args)}</pre></details>`,
    );
    const body =
      entry.role === "tool"
        ? `<details><summary>Result</summary><pre>${escaped(entry.text)}</pre></details>`
        : `<div class="text">${escaped(entry.text)}</div>`;
    return `<section class="${escaped(entry.role)}"><h2>${escaped(speaker(entry))}</h2>${body}${calls.join("")}</section>`;
  });
  return [
    "<!doctype html>",
    `<html lang="en"><head><meta charset="utf-8"><title>${title}</title>`,
    // No scripts and nothing from elsewhere: the page shows text, whatever the text says.
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    `<style>${style}</style></head><body>`,
    `<h1>${title}</h1><dl>${facts.join("")}</dl>`,
    ...messages,
    "</body></html>",
    "",
  ].join("\n");
}

const style =
  "body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem}" +
  "section{border-left:4px solid #999;padding:.2rem 1rem;margin:1rem 0}.user{border-color:#3572b0}" +
  ".assistant{border-color:#2f8f4e}.tool{border-color:#b08a35}h2{font-size:.9rem;margin:.2rem 0}" +
  ".text,pre{white-space:pre-wrap;overflow-wrap:anywhere}dl{display:grid;grid-template-columns:max-content 1fr;gap:0 1rem}dd{margin:0}";

function speaker(entry: Entry): string {
  switch (entry.role) {
    case "user":
      return "You";
    case "assistant":
      return "Hermes";
    case "tool":
      return `Tool ${entry.toolName}`.trim();
    default:
      return entry.role;
  }
}

/** A fence longer than any inside the text. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map((match) => match[0].length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}

function stringOrEmpty(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Calls as they are stored: a list, or the JSON text of one. */
function callsOf(value: unknown): Entry["calls"] {
  const parsed = typeof value === "string" ? parseJson(value) : { ok: true as const, value };
  if (!parsed.ok || !Array.isArray(parsed.value)) return [];
  return parsed.value.flatMap((call: unknown) => {
    const called = isRecord(call) ? call["function"] : undefined;
    if (!isRecord(called)) return [];
    const args = called["arguments"];
    return [{ name: stringOrEmpty(called["name"]), args: typeof args === "string" ? args : toJsonText(args ?? {}) }];
  });
}
