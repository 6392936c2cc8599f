import { elsewhere } from "../programs/carriers.ts";
import type { SimpleCommand } from "../simple-command.ts";

/** Whether a command would run on another machine or under another root, where paths mean something else. */
export function isElsewhere(command: SimpleCommand): boolean {
  return command.wrappers.some((one) => elsewhere.has(one));
}
