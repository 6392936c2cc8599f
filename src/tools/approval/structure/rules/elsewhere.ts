import { elsewhere } from "../../../shell/programs/carriers.ts";
import type { SimpleCommand } from "../../../shell/simple-command.ts";

/** Whether a command would run on another machine or under another root, where paths mean something else. */
export function isElsewhere(command: SimpleCommand): boolean {
  return command.wrappers.some((one) => elsewhere.has(one));
}
