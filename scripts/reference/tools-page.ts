import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { openHermes } from "#app";
import type { Tool } from "#tools";
import { code, fence, page, table } from "./markdown.ts";

const concurrencyWords: Readonly<Record<NonNullable<Tool["concurrency"]>, string>> = {
  serial: "Runs alone.",
  safe: "May run beside other calls of the same reply.",
  path: "May run beside calls on other paths.",
  never: "Its presence makes all calls of the reply run one after the other.",
};

/** Every tool that the program itself brings, as the registry holds them. */
export async function toolsPage(): Promise<string> {
  const tools = await registeredTools();
  const toolsets = [...new Set(tools.map(({ toolset }) => toolset))].sort();
  return page("Tools", [
    "What a model is offered, by toolset, in the words it reads. Tools of plugins and of MCP servers come on top. `hermes tools list` " +
      "shows which toolsets are on, `/tools` in a session also which tools cannot be used here and why.",
    toolsets.map((name) => `- [${name}](#${name})`).join("\n"),
    ...toolsets.flatMap((name) => [
      `## ${name}`,
      ...tools.filter(({ toolset }) => toolset === name).flatMap((tool) => sectionOf(tool)),
    ]),
  ]);
}

/** A home without keys or settings gives the same answer on every machine. */
async function registeredTools(): Promise<readonly Tool[]> {
  const folder = await mkdtemp(path.join(tmpdir(), "hermes-reference-"));
  try {
    const env = { HOME: folder, HERMES_HOME: path.join(folder, ".hermes"), PATH: process.env["PATH"] };
    await using hermes = await openHermes({
      env,
      cwd: folder,
      version: "0.0.0",
      isIncognito: true,
      onNotice: () => {},
    });
    return [...hermes.toolbox.registry.snapshot().tools.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function sectionOf(tool: Tool): readonly string[] {
  const variables = tool.requiresEnv ?? [];
  return [
    `### ${tool.name}`,
    fence(tool.description, "text"),
    parameterTable(tool),
    [
      concurrencyWords[tool.concurrency ?? "serial"],
      tool.isIdempotent === false ? "After a crash a call is not repeated." : "",
      variables.length === 0 ? "" : `Variables: ${variables.map(code).join(", ")}.`,
    ]
      .filter((part) => part !== "")
      .join(" "),
  ];
}

function parameterTable({ parameters }: Tool): string {
  const properties = record(record(parameters)["properties"]);
  const required = record(parameters)["required"];
  const rows = Object.entries(properties).map(([name, schema]) => {
    const isRequired = Array.isArray(required) && required.includes(name);
    const about = record(schema)["description"];
    return [code(name), typeOf(schema), isRequired ? "yes" : "", typeof about === "string" ? about : ""];
  });
  return rows.length === 0 ? "No arguments." : table(["argument", "type", "needed", "means"], rows);
}

function typeOf(schema: unknown): string {
  const { type, enum: choices, items, anyOf } = record(schema);
  if (Array.isArray(choices)) return choices.map((choice) => code(String(choice))).join(", ");
  if (Array.isArray(anyOf)) return anyOf.map(typeOf).join(" or ");
  if (type === "array") return `list of ${typeOf(items)}`;
  if (Array.isArray(type)) return type.map(String).join(" or ");
  return typeof type === "string" ? type : "any";
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
