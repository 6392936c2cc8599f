import type { SyntaxNode, Word } from "unbash";
import { type SimpleCommand, unknownName, unknownText } from "../simple-command.ts";

/** Nothing of it can be read; that it is unknown was noted where it was found. */
export function isAllUnknown(text: string): boolean {
  return text.includes(unknownText) && text.replaceAll(unknownText, "").trim() === "";
}

export function normalPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}

/** A name that a glob may find. */
export function globbedName(text: string): string {
  return text.replace(/\[[^\]]*\]|[*?]+/g, unknownName);
}

/** Whether nothing behind a command runs once it ran. */
export function leaves(node: SyntaxNode): boolean {
  if (node.type === "BraceGroup") return node.body.commands.some((one) => leaves(one.command));
  return node.type === "Command" && /^(?:exit|return|break|continue|exec)$/.test(node.name?.value ?? "");
}

export function originOf(word: Word | undefined): SimpleCommand["nameFrom"] {
  const types = (word?.parts ?? []).map((part) => part.type);
  if (types.includes("CommandExpansion")) return "substitution";
  return types.includes("SimpleExpansion") || types.includes("ParameterExpansion") ? "variable" : "literal";
}
