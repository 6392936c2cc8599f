import { parse } from "unbash";

/**
 * `A && B &` makes the shell leave a second shell waiting for A. As `A && { B & }` only B stays.
 * Only whole statements are touched; what is inside quotes, brackets or braces stays as it is.
 */
export function rewriteBackground(command: string): string {
  const script = parse(command);
  if ((script.errors ?? []).length > 0) return command;
  let text = command;
  for (const statement of [...script.commands].reverse()) {
    const list = statement.command;
    if (statement.background !== true || list.type !== "AndOr") continue;
    const last = list.commands.at(-1);
    if (last === undefined || text.slice(last.pos, statement.end).includes("<<")) continue;
    const ampersand = text.indexOf("&", last.end);
    if (ampersand < 0 || text.slice(last.end, ampersand).trim() !== "") continue;
    text = `${text.slice(0, last.pos)}{ ${text.slice(last.pos, last.end)} & }${text.slice(ampersand + 1)}`;
  }
  return text;
}
