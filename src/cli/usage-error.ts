import { UserError } from "#foundation/errors";
import { exitCodes } from "./command.ts";

/** The line was not typed as the command wants it. */
export function usageError(message: string, hint: string): UserError {
  return new UserError(message, { hint, code: "usage", exitCode: exitCodes.usage });
}
