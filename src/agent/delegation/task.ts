import { defined } from "#foundation/defined";
import type { DelegateArguments } from "./delegate-tool.ts";
import type { DelegationSettings } from "./settings.ts";

/** A leaf does its task; an orchestrator may hand parts of it on. */
export type ChildRole = "leaf" | "orchestrator";

export interface DelegatedTask {
  readonly goal: string;
  readonly context: string;
  /** Undefined: those of the parent. */
  readonly toolsets?: readonly string[];
  readonly role: ChildRole;
  /** The name of the agent that is to do it; undefined: one without a name. */
  readonly agent?: string | undefined;
  /** An outside program that does the task over ACP. */
  readonly acp?: { readonly command: string; readonly args: readonly string[] };
}

export type ReadTasks =
  | { readonly kind: "tasks"; readonly tasks: readonly DelegatedTask[]; readonly warnings: readonly string[] }
  | { readonly kind: "refused"; readonly error: string };

type TaskArguments = Omit<DelegateArguments, "tasks">;
type Limits = Pick<DelegationSettings, "maxConcurrentChildren" | "acpCommands">;

const maxTaskCharacters = 400_000;

/** What a call of `delegate_task` asks for. Pure; nothing has been started when it refuses. */
export function readTasks({ tasks: several = [], ...args }: DelegateArguments, limits: Limits): ReadTasks {
  if (several.length === 0 && trimmed(args.goal) === "")
    return refused("Nothing to delegate: give a goal, or tasks with one goal each.");
  const items: readonly TaskArguments[] = several.length === 0 ? [args] : several;
  if (items.length > limits.maxConcurrentChildren)
    return refused(
      `${items.length} tasks are too many: at most ${limits.maxConcurrentChildren} run at once (delegation.max_concurrent_children). None was started; send fewer, or one batch after the other.`,
    );
  const warnings: string[] = [];
  const tasks: DelegatedTask[] = [];
  for (const [index, item] of items.entries()) {
    const read = readTask(item, { index, shared: args, limits });
    if (typeof read === "string") return refused(read);
    if (read.warning !== undefined) warnings.push(read.warning);
    tasks.push(read.task);
  }
  return { kind: "tasks", tasks, warnings };
}

function readTask(
  item: TaskArguments,
  { index, shared, limits }: { readonly index: number; readonly shared: TaskArguments; readonly limits: Limits },
): string | { readonly task: DelegatedTask; readonly warning?: string } {
  const goal = trimmed(item.goal);
  if (goal === "") return `Task ${index} has no goal. None was started.`;
  const context = trimmed(item.context) || trimmed(shared.context);
  if (goal.length + context.length > maxTaskCharacters)
    return `Task ${index} is too long (${goal.length + context.length} characters, at most ${maxTaskCharacters}); put the material in a file and name its path. None was started.`;
  const acp = acpOf(item) ?? acpOf(shared);
  if (acp !== undefined && !limits.acpCommands.includes(acp.command))
    return `Task ${index}: ${acp.command} may not run as a child; delegation.allow_acp_command does not list it. None was started.`;
  const toolsets = namesIn(item.toolsets) ?? namesIn(shared.toolsets);
  const wanted = trimmed(item.role) || trimmed(shared.role) || "leaf";
  const task: DelegatedTask = {
    goal,
    context,
    role: wanted === "orchestrator" ? "orchestrator" : "leaf",
    agent: trimmed(item.agent) || trimmed(shared.agent) || undefined,
    ...defined({ toolsets, acp }),
  };
  const isKnownRole = wanted === "leaf" || wanted === "orchestrator";
  return isKnownRole ? { task } : { task, warning: `Task ${index}: there is no role "${wanted}"; it ran as a leaf.` };
}

function acpOf({ acp_command, acp_args }: TaskArguments): DelegatedTask["acp"] {
  const command = trimmed(acp_command);
  return command === "" ? undefined : { command, args: namesIn(acp_args) ?? [] };
}

function trimmed(text = ""): string {
  return text.trim();
}

/** A list of words; an empty one counts as absent, since a child without tools is never meant. */
function namesIn(list: readonly string[] = []): readonly string[] | undefined {
  const names = list
    .flatMap((name) => name.split(","))
    .map((name) => name.trim())
    .filter((name) => name !== "");
  return names.length === 0 ? undefined : names;
}

function refused(error: string): ReadTasks {
  return { kind: "refused", error };
}
