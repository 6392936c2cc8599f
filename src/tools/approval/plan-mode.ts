import type { SessionScope } from "../contract/session-scope.ts";
import type { Tool } from "../contract/tool.ts";

const refusal =
  "was not run: a plan is being made, and until the user has accepted it nothing may be changed. Look at what you need, then answer with the plan.";

/** Sessions in which a plan is being made: their agents look at everything and change nothing until the person accepts it. */
export class PlanMode {
  readonly #sessions = new Set<string>();

  isOn(sessionKey: string): boolean {
    return this.#sessions.has(sessionKey);
  }

  set(sessionKey: string, isOn: boolean): void {
    if (isOn) this.#sessions.add(sessionKey);
    else this.#sessions.delete(sessionKey);
  }

  /** Why a call has to wait; undefined when it may run. */
  async refusal(
    tool: Tool | undefined,
    args: Readonly<Record<string, unknown>>,
    { scope, home }: { readonly scope: SessionScope; readonly home: string },
  ): Promise<string | undefined> {
    if (tool === undefined || !this.isOn(scope.key) || (await onlyLooks(tool, args, { cwd: scope.cwd, home })))
      return undefined;
    return `${tool.name} ${refusal}`;
  }
}

/** Asking the person, the list of tasks and handing parts on change nothing either; children are held by the same rule. */
async function onlyLooks(
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  location: { readonly cwd: string; readonly home: string },
): Promise<boolean> {
  if (tool.effects === "none" || tool.isDelegation === true || tool.isQuestion === true) return true;
  if (tool.isHousekeeping === true) return tool.isLasting !== true && tool.serves === undefined;
  if (tool.effects !== "commands" || tool.runs === undefined) return false;
  const running = tool.runs(args);
  if (running === undefined) return true;
  if (running.command === undefined) return false;
  return (await import("./detector/read-only-command.ts")).isReadOnlyCommand(running.command, location);
}
