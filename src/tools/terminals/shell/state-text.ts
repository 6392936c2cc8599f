import { quote } from "./shell-script.ts";
import type { ShellState } from "./shell-state.ts";

/** What a shell sources to be as the last one was; `base` names what it starts with by itself. */
export function stateText(state: ShellState, base: readonly string[]): string {
  const isName = (name: string): boolean => /^[A-Za-z_]\w*$/.test(name);
  const variables = [...state.variables]
    .filter(([name]) => isName(name))
    .map(([name, value]) => `export ${name}=${quote(value)}`);
  const gone = base.filter((name) => isName(name) && !state.variables.has(name)).map((name) => `unset ${name}`);
  return [...variables, ...gone, state.functions, ""].join("\n");
}
