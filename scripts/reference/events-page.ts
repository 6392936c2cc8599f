import { readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";
import { eventWords } from "./event-words.ts";
import { code, fence, page } from "./markdown.ts";

const root = path.join(import.meta.dirname, "../..");

interface EventShape {
  readonly name: string;
  /** The comment in the source above the event. */
  readonly comment: string;
  readonly fields: readonly (readonly string[])[];
}

/** What a session tells its surface, from the types themselves. */
export function eventsPage(): string {
  const agent = parse("src/conversation/agent-event.ts");
  const session = parse("src/session/api.ts");
  return page("Events", [
    "What `onEvent` of the library and `subscribe` of a session are handed. What other programs are sent, for example by " +
      '`hermes chat -q "…" --json-stream`, is their [wire form](wire.md): the same events with fields in `snake_case`.',
    commentAbove(agent, aliasOf(agent, "AgentEvent")),
    "## Of a turn",
    ...eventsOf(agent, "AgentEvent").flatMap(sectionOf),
    "## Of a session",
    ...eventsOf(session, "SessionEvent").flatMap(sectionOf),
    "## Types",
    ...otherTypes(agent, ["AgentEvent"]),
    ...otherTypes(parse("src/conversation/tool-definition.ts"), ["JsonSchema", "ToolDefinition", "ToolChoice"]),
    ...typesNamed(parse("src/conversation/usage.ts"), ["Usage", "Cost"]),
    ...typesNamed(session, ["SessionInfo", "ToolsetInfo"]),
    ...typesNamed(parse("src/conversation/turn-result.ts"), ["TurnResult", "TurnToolCall"]),
  ]);
}

function sectionOf({ name, comment, fields }: EventShape): readonly string[] {
  const words = Object.hasOwn(eventWords, name) ? eventWords[name as keyof typeof eventWords] : undefined;
  if ((words === undefined) === (comment === ""))
    throw new Error(
      `${name} needs one sentence: a comment in the source, or a line in scripts/reference/event-words.ts`,
    );
  return [`### ${name}`, words ?? comment, fields.map(fieldLine).join("\n")];
}

function fieldLine([name = "", type = "", about = ""]: readonly string[]): string {
  return `- ${name}: ${type}${about === "" ? "" : `. ${about}`}`;
}

function parse(file: string): ts.SourceFile {
  return ts.createSourceFile(file, readFileSync(path.join(root, file), "utf8"), ts.ScriptTarget.ES2022, true);
}

function aliasOf(source: ts.SourceFile, name: string): ts.TypeAliasDeclaration {
  const found = source.statements.find(
    (one): one is ts.TypeAliasDeclaration => ts.isTypeAliasDeclaration(one) && one.name.text === name,
  );
  if (found === undefined) throw new Error(`${source.fileName} has no type ${name}`);
  return found;
}

/** The members of a union of objects; names of other unions are left out. */
function eventsOf(source: ts.SourceFile, name: string): readonly EventShape[] {
  const { type } = aliasOf(source, name);
  if (!ts.isUnionTypeNode(type)) throw new Error(`${name} is not a union`);
  return type.types.flatMap((member, index) => {
    if (!ts.isTypeLiteralNode(member)) return [];
    const before = type.types[index - 1]?.end ?? type.pos;
    const properties = member.members.filter(ts.isPropertySignature);
    const kind = properties.find((one) => nameOf(one) === "type")?.type?.getText(source) ?? "";
    return [
      {
        name: kind.replaceAll('"', ""),
        comment: commentIn(source.text.slice(before, member.getStart(source, false))),
        fields: properties.filter((one) => nameOf(one) !== "type").map((one) => fieldRow(source, one)),
      },
    ];
  });
}

function fieldRow(source: ts.SourceFile, property: ts.PropertySignature): readonly string[] {
  const optional = property.questionToken === undefined ? "" : "?";
  const type = (property.type?.getText(source) ?? "unknown").replace(/readonly /g, "");
  return [code(nameOf(property) + optional), code(type), commentAbove(source, property)];
}

function otherTypes(source: ts.SourceFile, without: readonly string[]): readonly string[] {
  const names = source.statements.flatMap((one) =>
    ts.isTypeAliasDeclaration(one) || ts.isInterfaceDeclaration(one) ? [one.name.text] : [],
  );
  return typesNamed(
    source,
    names.filter((name) => !without.includes(name)),
  );
}

function typesNamed(source: ts.SourceFile, names: readonly string[]): readonly string[] {
  return source.statements.flatMap((one) => {
    if (!(ts.isTypeAliasDeclaration(one) || ts.isInterfaceDeclaration(one)) || !names.includes(one.name.text))
      return [];
    const text = one.getText(source).replace(/^export /, "");
    return [`### ${one.name.text}`, commentAbove(source, one), fence(text, "ts")];
  });
}

function nameOf(property: ts.PropertySignature): string {
  return ts.isIdentifier(property.name) || ts.isStringLiteral(property.name) ? property.name.text : "";
}

function commentAbove(source: ts.SourceFile, node: ts.Node): string {
  return commentIn(source.text.slice(node.pos, node.getStart(source, false)));
}

/** The last documentation comment of a piece of source, as one line of words. */
function commentIn(text: string): string {
  const comment = [...text.matchAll(/\/\*\*([\s\S]*?)\*\//g)].at(-1)?.[1] ?? "";
  return comment
    .replace(/^\s*\*/gm, "")
    .replace(/\s+/g, " ")
    .trim();
}
