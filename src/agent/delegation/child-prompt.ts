import { stat } from "node:fs/promises";
import path from "node:path";
import type { ChildRole, DelegatedTask } from "./task.ts";

export interface ChildPromptFacts {
  readonly task: Pick<DelegatedTask, "goal" | "context">;
  readonly role: ChildRole;
  /** What the agent of this name was told to be. */
  readonly agent?: string | undefined;
  /** 1 for a child of the main agent. */
  readonly depth: number;
  readonly maxDepth: number;
  readonly maxChildren: number;
  /** The folder to work in, where it is known to exist. */
  readonly workspace?: string | undefined;
}

/** What a child is told about its task, behind the system prompt. Constant for its whole life. */
export function childPrompt(facts: ChildPromptFacts): string {
  const { task, role, agent = "", workspace } = facts;
  return [
    agent,
    "You work on one task that another agent handed to you. Nobody can answer questions: decide yourself, and state what you assumed.",
    `Task:\n${task.goal}`,
    task.context === "" ? "" : `What you were given with it:\n${task.context}`,
    workspace === undefined ? "" : `Work in this folder: ${workspace}`,
    "Use only paths that you were given or have seen yourself; never guess one, and none of a container you have not looked into.",
    role === "orchestrator" ? orchestration(facts) : "",
    "When you are done, reply with a report and nothing else. The other agent sees only that reply, so it must stand alone: what you did, what you found, which files you created or changed (whole paths), and what went wrong or is still open. Be brief and exact.",
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function orchestration({ depth, maxDepth, maxChildren }: ChildPromptFacts): string {
  const below = maxDepth - depth;
  const levels = below === 1 ? "one level" : `${below} levels`;
  return [
    "You may hand parts of the task on with delegate_task. Do so for parts that are independent of each other, or would fill your context with material you do not need; do small things yourself.",
    `You are at depth ${depth} of ${maxDepth}: ${levels} below you, at most ${maxChildren} children at once. ${below === 1 ? "Your children cannot delegate further." : ""}`.trim(),
    "Check what they report before you rely on it, and put it together yourself.",
  ].join(" ");
}

/** The path, when it is absolute and a folder really is there. */
export async function realFolder(input: string | undefined): Promise<string | undefined> {
  if (input === undefined || !path.isAbsolute(input)) return undefined;
  try {
    return (await stat(input)).isDirectory() ? input : undefined;
  } catch (error) {
    if (error instanceof Error && "code" in error) return undefined;
    throw error;
  }
}
