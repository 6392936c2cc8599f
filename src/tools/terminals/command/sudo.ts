import { forEachChild, parse, type SyntaxNode } from "unbash";

/**
 * Every `sudo` that would really run is made to read its password from standard input and to print no
 * prompt. Undefined when there is none: text in quotes, comments and arguments does not count.
 */
export function sudoFromInput(command: string): string | undefined {
  const script = parse(command);
  if ((script.errors ?? []).length > 0) return undefined;
  const ends: number[] = [];
  const visit = (node: SyntaxNode): void => {
    if (node.type === "Command" && node.name?.text === "sudo") ends.push(node.name.end);
    // Scripts from escaped backticks count their places in a text of their own.
    if (node.type === "Script" && node.source !== undefined) return;
    forEachChild(node, visit);
  };
  for (const statement of script.commands) visit(statement);
  if (ends.length === 0) return undefined;
  return ends.sort((a, b) => b - a).reduce((text, end) => `${text.slice(0, end)} -S -p ''${text.slice(end)}`, command);
}

const failures =
  /sudo: (?:a password is required|no password was provided|a terminal is required|\d+ incorrect password attempts?)|sudo: no tty present/;

export const sudoTip =
  "[sudo needs a password that this chat cannot ask for. It can be set once as terminal.sudo_password in the settings.]";

/** True when the output is sudo saying that it got no password. */
export function isSudoFailure(output: string): boolean {
  return failures.test(output);
}
